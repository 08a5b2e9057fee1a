"""What people get wrong about equation 1."""

from glassformer.course.mistakes import Mistake

SCALE = "scores = scores / math.sqrt(query.size(-1))"
SOFTMAX = "torch.softmax(scores, dim=-1)"

MISTAKES = [
    Mistake(
        name="no-scaling",
        says="Your scores are not divided by sqrt(d_k). Dot products of E terms grow like sqrt(E): undivided, the softmax "
        "puts nearly everything on one word, and hardly any gradient comes back.",
        edits=[(SCALE, "")],
    ),
    Mistake(
        name="divided-by-d_k",
        says="Your scores are divided by d_k itself; the paper divides by its square root. Now all words get nearly the "
        "same weight.",
        edits=[(SCALE, "scores = scores / query.size(-1)")],
    ),
    Mistake(
        name="scaled-by-the-number-of-keys",
        says="You divide by the square root of the number of keys. It is the width of a key that counts: "
        "query.size(-1), not key.size(-2).",
        edits=[(SCALE, "scores = scores / math.sqrt(key.size(-2))")],
    ),
    Mistake(
        name="softmax-over-queries",
        says="Your softmax runs over the queries: the columns sum to 1. Each query shares out its own attention, so each "
        "row must sum to 1: dim=-1.",
        edits=[(SOFTMAX, "torch.softmax(scores, dim=-2)")],
    ),
    Mistake(
        name="scores-transposed",
        says="The sizes do not fit. Scores have a row for each query and a column for each key: that is query @ key "
        "transposed, query @ key.transpose(-2, -1). The transpose is missing, or query and key are swapped.",
        edits=[("scores = query @ key.transpose(-2, -1)", "scores = key @ query.transpose(-2, -1)")],
    ),
    Mistake(
        name="t-instead-of-transpose",
        says="`.T` (or .t()) turns *all* axes round, which is right for a matrix and wrong for a batch. Swap the last two "
        "only: key.transpose(-2, -1).",
        edits=[("key.transpose(-2, -1)", "key.permute(*range(key.dim() - 1, -1, -1))")],
    ),
    Mistake(
        name="softmax-by-hand-overflows",
        says="Your softmax is exp(x) / sum(exp(x)), and exp of a large score is infinite: the weights become NaN. Subtract "
        "the row's largest score first, or use torch.softmax, which does.",
        edits=[(SOFTMAX, "scores.exp() / scores.exp().sum(dim=-1, keepdim=True)")],
    ),
    Mistake(
        name="scaled-after-softmax",
        says="You divide after the softmax: the rows no longer sum to 1. The division belongs to the scores, before the "
        "softmax.",
        edits=[(SCALE, ""), (SOFTMAX, "torch.softmax(scores, dim=-1) / math.sqrt(query.size(-1))")],
    ),
]
