"""A step of decoding in C++, compiled once for the processor at hand and kept; without a compiler torch does the work.

step.cpp       the arithmetic
library.py     finds a compiler, compiles, keeps and checks the result
linear.py      a linear map computed by it
stepper.py     what a search asks for, answered by it
"""
