"""Files of text to batches of ids.

Read in this order:

    corpus.py       pairs of sentences out of text files
    filters.py      which pairs are not worth learning from
    duplicates.py   which pairs stood earlier
    stage.py        ids on their way to the shards
    shards.py       ids on disk, mapped into memory
    prepare.py      all of these in a row: text files in, a folder of prepared data out
    prepared.py     such a folder, opened
    splits.py       what is for training and what for validation
    whole_folder.py folders that appear whole or not at all
    order.py        which pairs make a batch, and when it comes
    packing.py      batches of little padding
    batch.py        the tensors of a batch
    config.py       the [data] section of a run
    demo/           the embedded corpus

Only batch.py needs torch.
"""
