"""Text to ids and back.

Read in this order:

    language.py     names and scripts of languages
    normalise.py    one spelling for what looks the same
    config.py       the choices of a tokenizer
    tokenizer.py    text <-> ids
    vocabulary.py   how a vocabulary is learnt from text
    sampling.py     other splits of the same words, for training (subword regularisation)
    marian_files.py       the files of an imported Marian model
    marian_tokenizer.py   text <-> ids for such a model

Knows nothing of files of text (see data/) or of models, and does not import torch.
"""
