"""Text to ids and back.

Read in this order:

    language.py     names and scripts of languages
    normalise.py    one spelling for what looks the same
    config.py       the choices of a tokenizer
    tokenizer.py    text <-> ids
    vocabulary.py   how a vocabulary is learnt from text
    sampling.py     other splits of the same words, for training (subword regularisation)

Knows nothing of files of text (see data/) or of models, and does not import torch.
"""
