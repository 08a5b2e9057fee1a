"""Batches to weights.

    trainer.py       the whole line in one method: batches, logits, loss, gradient, weights, checkpoint
    config.py        every choice of a training
    feed.py          which sentences a step trains on
    loss.py          label smoothing, R-Drop                       5.4
    schedule.py      the learning rate                             5.3
    optimizer.py     Adam, clipping                                5.3
    muon.py          another optimizer, which needs fewer steps
    average.py       averages of weights                           6.1
    validation.py    how good the model is now
    state.py         where a training stands: a few numbers
    randomness.py    random numbers that depend on the seed and the step alone
    checkpoint.py    all that it takes to go on, on disk
    logbook.py       what a training leaves behind as it goes on
    distributed.py   several processes, one training
    precision.py     which numbers to calculate with, where
    allocator.py     memory kept from step to step
    watcher.py       whoever is told how it goes
    progress.py      what one sees of it: a live display, plain lines
    tensorboard.py   the same for TensorBoard
    clock.py         time spent and speed
    curves.py        metrics.jsonl as a picture; picture.py draws
    final.py         which weights become the model                6.1
    publish.py       the finished model in its run folder; card.py its model card

Interrupted and resumed equals uninterrupted, bit for bit (CPU, same threads): the order of the data, dropout and the
learning rate are pure functions of the seed and the step, and everything else is in the checkpoint.
"""
