"""What is written in C++, compiled once for the processor at hand and kept; without a compiler torch does the work.

vectors.h      what both share: registers, memory, exp
step.cpp       a step of decoding
training.cpp   attention and the vocabulary's loss, with their gradients
library.py     finds a compiler, compiles, keeps and checks the result
linear.py      a linear map computed by it
stepper.py     what a search asks for, answered by it
attention.py   the attention of a model in training, computed by it
loss.py        the loss, computed by it
"""
