"""What people get wrong about embeddings."""

from glassformer.course.mistakes import Mistake

SCALE = "self.scale = math.sqrt(d_model)"
TABLE = "self.table = nn.Embedding(vocab_size, d_model)"
FIRST_WEIGHTS = "nn.init.normal_(self.table.weight, std=d_model**-0.5)"
ANSWER = "return self.table(ids) * self.scale"

MISTAKES = [
    Mistake(
        name="embedding-not-scaled",
        says="Your vectors are the bare rows of the table. Section 3.4 multiplies them by sqrt(d_model), here 3: "
        "without it, the positions of the next stage drown the words.",
        edits=[(ANSWER, "return self.table(ids)")],
    ),
    Mistake(
        name="scaled-by-d_model",
        says="Your vectors are multiplied by d_model itself; it is its square root. With d_model 9 the factor is 3, "
        "with 512 it is 22.6.",
        edits=[(SCALE, "self.scale = d_model")],
    ),
    Mistake(
        name="divided-by-the-root",
        says="You divide by sqrt(d_model), as attention does with its scores. Here the rows are small and are to "
        "become larger: multiply.",
        edits=[(SCALE, "self.scale = 1 / math.sqrt(d_model)")],
    ),
    Mistake(
        name="scaled-by-the-vocabulary",
        says="You multiply by the square root of vocab_size. How many rows the table has does not matter; how wide "
        "they are does: sqrt(d_model).",
        edits=[(SCALE, "self.scale = math.sqrt(vocab_size)")],
    ),
    Mistake(
        name="scaled-by-the-number-of-places",
        says="Your factor changes with the length of the sentence: one token alone is not scaled at all. It is "
        "sqrt(d_model), the width of a row, whatever the sentence.",
        edits=[(ANSWER, "return self.table(ids) * math.sqrt(ids.size(-1))")],
    ),
    Mistake(
        name="table-on-its-side",
        says="Your table has d_model rows of width vocab_size. It is the other way round, a row for each token: "
        "nn.Embedding(vocab_size, d_model).",
        edits=[(TABLE, "self.table = nn.Embedding(d_model, vocab_size)")],
    ),
    Mistake(
        name="table-is-a-plain-tensor",
        says="Your table is a plain tensor: model.parameters() does not find it, so no optimizer will ever change "
        "it and the words stay random. Use nn.Embedding, or wrap it in nn.Parameter.",
        edits=[
            (TABLE, "self.table = torch.randn(vocab_size, d_model)"),
            (FIRST_WEIGHTS, ""),
            ("from torch import Tensor, nn", "import torch\nfrom torch import Tensor, nn"),
            (ANSWER, "return self.table[ids] * self.scale"),
        ],
    ),
    Mistake(
        name="gradient-cut-off",
        says="The numbers are right, but no gradient reaches the table: you looked the rows up in `.data`, "
        "detached them, or work under torch.no_grad, and so without history. Call the table itself: self.table(ids).",
        edits=[(ANSWER, "return self.table.weight.data[ids] * self.scale")],
    ),
    Mistake(
        name="table-frozen",
        says="Your table is frozen: its requires_grad is False, so an optimizer finds it and never changes it, and the "
        "words stay random. Leave out requires_grad_(False) (or from_pretrained, which freezes unless told not to).",
        edits=[(FIRST_WEIGHTS, f"{FIRST_WEIGHTS}\n        self.table.weight.requires_grad_(False)")],
    ),
    Mistake(
        name="table-scaled-in-place",
        says="You multiply the table itself, so it grows at every call: 3 times, 9 times, 27 times. Scale what "
        "forward returns and leave the table alone.",
        edits=[(ANSWER, "self.table.weight.data *= self.scale\n        return self.table(ids)")],
    ),
]
