"""What people get wrong about positions."""

from glassformer.course.mistakes import Mistake

FREQUENCY = "10000 ** (-torch.arange(0, d_model, 2) / d_model)"
SIN, COS = "table[:, 0::2] = torch.sin(angle)", "table[:, 1::2] = torch.cos(angle)"
BUFFER = 'self.register_buffer("table", sinusoids(max_length, d_model))'
CUT = "here = self.table[: x.size(1)]"
SUM = "return self.dropout(x + here)"

MISTAKES = [
    Mistake(
        name="sin-and-cos-swapped",
        says="Your cosines are in the even columns and your sines in the odd ones. The paper has it the other way "
        "round: row 0 is 0, 1, 0, 1, ...",
        edits=[(SIN, "table[:, 0::2] = torch.cos(angle)"), (COS, "table[:, 1::2] = torch.sin(angle)")],
    ),
    Mistake(
        name="sines-in-one-half-cosines-in-the-other",
        says="You put all sines into the left half and all cosines into the right. The paper interleaves them, sin, "
        "cos, sin, cos: write to table[:, 0::2] and table[:, 1::2]. (Some models, Marian among them, do it your "
        "way; trained weights then only fit that way.)",
        edits=[
            (SIN, "table[:, : d_model // 2] = torch.sin(angle)"),
            (COS, "table[:, d_model // 2 :] = torch.cos(angle)"),
        ],
    ),
    Mistake(
        name="exponent-doubled",
        says="Your exponent is twice the paper's: arange(0, d_model, 2) already counts 0, 2, 4, ..., which is 2i; "
        "do not double it again. With d_model 6 your second frequency is 0.00215, and should be 0.0464.",
        edits=[(FREQUENCY, "10000 ** (-2 * torch.arange(0, d_model, 2) / d_model)")],
    ),
    Mistake(
        name="exponent-halved",
        says="Your exponent is half the paper's: you used i where the formula has 2i. With d_model 6 your second "
        "frequency is 0.215, and should be 0.0464.",
        edits=[(FREQUENCY, "10000 ** (-torch.arange(d_model // 2) / d_model)")],
    ),
    Mistake(
        name="every-column-its-own-frequency",
        says="Each of your columns has a frequency of its own. Columns 2i and 2i + 1 are the sine and the cosine of "
        "*one* hand: the odd columns use the frequency of their left neighbour.",
        edits=[
            (FREQUENCY, "10000 ** (-torch.arange(d_model) / d_model)"),
            (SIN, "table[:, 0::2] = torch.sin(angle[:, 0::2])"),
            (COS, "table[:, 1::2] = torch.cos(angle[:, 1::2])"),
        ],
    ),
    Mistake(
        name="frequencies-grow",
        says="Your frequencies grow: 1, 21.5, 464. The formula divides the place by 10000^(2i/d), so they fall: the "
        "exponent has a minus.",
        edits=[(FREQUENCY, "10000 ** (torch.arange(0, d_model, 2) / d_model)")],
    ),
    Mistake(
        name="no-logarithm",
        says="You wrote the power with exp and left out the logarithm. 10000^(-a) is exp(-a * log(10000)), not "
        "exp(-a * 10000): your second and third frequency are 0.",
        edits=[(FREQUENCY, "torch.exp(-torch.arange(0, d_model, 2) * 10000 / d_model)")],
    ),
    Mistake(
        name="places-from-one",
        says="Your first row is that of place 1. Places count from 0: torch.arange(n_places) begins there, and row "
        "0 is 0, 1, 0, 1, ...",
        edits=[("torch.arange(n_places)[:, None]", "torch.arange(1, n_places + 1)[:, None]")],
    ),
    Mistake(
        name="only-sines",
        says="All your columns are sines. The odd ones are cosines: a sine alone cannot tell whether a hand is "
        "going up or coming down.",
        edits=[(COS, "table[:, 1::2] = torch.sin(angle)")],
    ),
    Mistake(
        name="angles-without-a-wave",
        says="Your odd columns hold the bare angle, which grows with the place for ever. They are its cosine: "
        "torch.cos(angle), between -1 and 1 at every place.",
        edits=[(COS, "table[:, 1::2] = angle")],
    ),
    Mistake(
        name="odd-columns-left-empty",
        says="Your odd columns are 0 at every place: nothing is written into them. They are the cosines: "
        "table[:, 1::2] = torch.cos(angle).",
        edits=[(COS, "")],
    ),
    Mistake(
        name="table-is-no-buffer",
        says="Your table is a plain attribute. It works here, and fails on the day the model moves to a GPU: "
        '`model.to(device)` moves parameters and buffers only. Use self.register_buffer("table", ...).',
        edits=[(BUFFER, "self.table = sinusoids(max_length, d_model)")],
    ),
    Mistake(
        name="table-is-a-parameter",
        says="Your table is a parameter, so the optimizer would change it: these would be learned positions that "
        "merely begin as sines. The paper's are fixed: make it a buffer.",
        edits=[(BUFFER, "self.table = nn.Parameter(sinusoids(max_length, d_model))")],
    ),
    Mistake(
        name="positions-along-the-batch",
        says="You take as many rows as there are *sentences* and give every word of a sentence the same one. Places "
        "are the second axis: the first x.size(1) rows, one for each word.",
        edits=[(CUT, "here = self.table[: x.size(0), None]")],
    ),
    Mistake(
        name="table-not-cut",
        says="You add the whole table, 11 rows, to a sentence of 5 words. Take its first x.size(1) rows.",
        edits=[(CUT, "here = self.table")],
    ),
    Mistake(
        name="positions-replace-words",
        says="You return the positions alone: the words are gone. The position is added to the word's vector.",
        edits=[(SUM, "return self.dropout(torch.zeros_like(x) + here)")],
    ),
    Mistake(
        name="positions-after-dropout",
        says="You drop entries of the words first and add the positions afterwards. Section 5.4 applies dropout to "
        "the *sum* of the two: in training, a dropped entry must come out as 0, and yours come out as the bare "
        "position.",
        edits=[(SUM, "return self.dropout(x) + here")],
    ),
    Mistake(
        name="no-dropout",
        says="The numbers are right, and nothing is ever dropped: with dropout 0.5 in training, about half of the "
        "entries should be 0. Apply nn.Dropout to the sum.",
        edits=[(SUM, "return x + here")],
    ),
    Mistake(
        name="dropout-never-stops",
        says="Your dropout drops even after eval(): the same sentence would be translated differently each time. "
        "Use nn.Dropout, or give the function training=self.training.",
        edits=[(SUM, "return nn.functional.dropout(x + here, self.dropout.p)")],
    ),
]
