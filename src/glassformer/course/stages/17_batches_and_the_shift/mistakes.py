"""What people get wrong about batches and the shift."""

from glassformer.course.mistakes import Mistake

SRC = "src = [[*source, eos_id] for source, _ in pairs]"
TGT_IN = "tgt_in = [[bos_id, *target] for _, target in pairs]"
TGT_OUT = "tgt_out = [[*target, eos_id] for _, target in pairs]"
WIDTH = "width = max(len(row) for row in rows)"
TENSOR = "return torch.tensor([row + [pad_id] * (width - len(row)) for row in rows])"
RETURN = "return pad(src, pad_id), pad(tgt_in, pad_id), pad(tgt_out, pad_id)"

MISTAKES = [
    Mistake(
        name="not-shifted",
        says="tgt_in and tgt_out are the same: at each place the model is given the very word it should say. It learns to copy "
        "its input, shows 98 % accuracy after an hour, and translates nothing. tgt_in is one place behind: bos and the target.",
        edits=[(TGT_IN, "tgt_in = [target + [eos_id] for _, target in pairs]")],
    ),
    Mistake(
        name="not-shifted-with-bos",
        says="tgt_in and tgt_out are the same, bos to eos: the model is given the word it should say, and learns to copy. "
        "Of bos ... eos, tgt_in is all but the last and tgt_out all but the first.",
        edits=[(TGT_IN, "tgt_in = [[bos_id] + target + [eos_id] for _, target in pairs]"),
               (TGT_OUT, "tgt_out = [[bos_id] + target + [eos_id] for _, target in pairs]")],
    ),
    Mistake(
        name="swapped",
        says="tgt_in and tgt_out have changed places: the decoder is given the words and should say what came before them. "
        "It is given bos 21 22 23 24 and should say 21 22 23 24 eos.",
        edits=[(RETURN, "return pad(src, pad_id), pad(tgt_out, pad_id), pad(tgt_in, pad_id)")],
    ),
    Mistake(
        name="no-bos",
        says="tgt_in has no bos, so the first word of the target is given away and never asked for: at the first place you ask "
        "for the second word. When translating there is no first word to give. Put bos in front of tgt_in.",
        edits=[(TGT_IN, "tgt_in = [list(target) for _, target in pairs]"),
               (TGT_OUT, "tgt_out = [target[1:] + [eos_id] for _, target in pairs]")],
    ),
    Mistake(
        name="no-eos",
        says="tgt_out has no eos: nobody ever tells the model that a sentence ends, and it will translate on until it is cut "
        "off. The last thing to say is eos.",
        edits=[(TGT_IN, "tgt_in = [[bos_id] + target[:-1] for _, target in pairs]"),
               (TGT_OUT, "tgt_out = [list(target) for _, target in pairs]")],
    ),
    Mistake(
        name="tgt_out-without-eos-and-tgt_in-whole",
        says="tgt_out is the bare target, one shorter than tgt_in: the place behind the last word has no answer, and the model "
        "never learns to stop. Put eos there.",
        edits=[(TGT_OUT, "tgt_out = [list(target) for _, target in pairs]")],
    ),
    Mistake(
        name="eos-left-in-tgt_in",
        says="tgt_in is bos, target, eos: one place longer than tgt_out. After eos there is nothing to say, so the decoder is "
        "never given it: bos and the target, no more.",
        edits=[(TGT_IN, "tgt_in = [[bos_id] + target + [eos_id] for _, target in pairs]")],
    ),
    Mistake(
        name="bos-in-tgt_out",
        says="tgt_out begins with bos: you ask the model to say the mark that it was just given. bos is only given, eos is only "
        "said.",
        edits=[(TGT_OUT, "tgt_out = [[bos_id] + target + [eos_id] for _, target in pairs]")],
    ),
    Mistake(
        name="source-without-eos",
        says="Your sources have no eos. The encoder should see where the sentence ends, too: with an end, 'I like' and the "
        "beginning of 'I like pizza' are not the same. Append eos_id to each source.",
        edits=[(SRC, "src = [list(source) for source, _ in pairs]")],
    ),
    Mistake(
        name="bos-before-the-source",
        says="Your sources begin with bos. Only the decoder needs something to begin with; a source is its ids and eos.",
        edits=[(SRC, "src = [[bos_id] + source + [eos_id] for source, _ in pairs]")],
    ),
    Mistake(
        name="padded-on-the-left",
        says="Your pads stand on the left. Positions are counted from the left, so the first word of a short sentence would "
        "stand at place 3, and bos not at 0. Pad on the right.",
        edits=[(TENSOR, "return torch.tensor([[pad_id] * (width - len(row)) + row for row in rows])")],
    ),
    Mistake(
        name="cut-to-the-shortest",
        says="You cut every row to the length of the shortest (zip does that, quietly), and lose words. Take the longest as the "
        "width and fill the others up.",
        edits=[(WIDTH, "width = min(len(row) for row in rows)"),
               (TENSOR, "return torch.tensor([row[:width] for row in rows])")],
    ),
    Mistake(
        name="eos-after-the-pads",
        says="You padded first and appended eos then: 25 26 pad pad eos. The model learns to say pad after a sentence. eos "
        "comes right behind the last word, and pads behind eos.",
        edits=[(TENSOR, """return torch.tensor(
        [[*row[:-1], *[pad_id] * (width - len(row)), row[-1]] if row[-1] < 10 else row + [pad_id] * (width - len(row))
         for row in rows]
    )""")],
    ),
    Mistake(
        name="one-width-for-both",
        says="You fill sources and targets up to one common length. It would work, but every pad is computed like a word, "
        "through all layers: let each side be as wide as its own longest.",
        edits=[(RETURN, """longest = max(len(row) for row in src + tgt_out)
    src, tgt_in, tgt_out = [[r + [pad_id] * (longest - len(r)) for r in rows] for rows in (src, tgt_in, tgt_out)]
    return pad(src, pad_id), pad(tgt_in, pad_id), pad(tgt_out, pad_id)""")],
    ),
    Mistake(
        name="padded-with-zero",
        says="You pad with 0, whatever pad_id says. The mask looks for pad_id: here 4 is the pad and 0 is eos, so your pads are "
        "read as words. Fill with pad_id (torch.zeros and pad_sequence both take 0 if you say nothing).",
        edits=[(TENSOR, "return torch.tensor([row + [0] * (width - len(row)) for row in rows])")],
    ),
    Mistake(
        name="special-ids-written-in",
        says="You wrote 2 and 3 where bos_id and eos_id were given. Another vocabulary has other numbers: use the arguments.",
        edits=[(SRC, "src = [source + [3] for source, _ in pairs]"),
               (TGT_IN, "tgt_in = [[2] + target for _, target in pairs]"),
               (TGT_OUT, "tgt_out = [target + [3] for _, target in pairs]")],
    ),
    Mistake(
        name="floats",
        says="Your ids are floating-point numbers, as torch.zeros makes them. They are row numbers of a table, and an "
        "nn.Embedding refuses them: ask for dtype=torch.long.",
        edits=[(TENSOR, TENSOR.replace("for row in rows])", "for row in rows], dtype=torch.float)"))],
    ),
    Mistake(
        name="changes-the-caller-s-lists",
        says="You append eos to the caller's own lists: with the second epoch each sentence ends in two of them. Make a new list "
        "with source + [eos_id].",
        edits=[(SRC, "src = [source.append(eos_id) or source for source, _ in pairs]")],
    ),
]  # fmt: skip
