"""Looks at the embedding: is the table learned, are the right rows found, how are they scaled. Oracle: rows by hand."""

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from glassformer.course.observation import Observation
from glassformer.course.universe import Subject
from glassformer.course.weights import set_table

VOCAB_SIZE, D_MODEL = 7, 9


def observe(my: Subject) -> Iterator[Observation]:
    """d_model is 9, so that the factor is 3; no two sizes are the same."""
    torch.manual_seed(9)
    embedding = my.part("TokenEmbedding")(VOCAB_SIZE, D_MODEL)
    yield Observation(
        "what an optimizer finds in your embedding", sorted(list(p.shape) for p in embedding.parameters()),
        [[VOCAB_SIZE, D_MODEL]], "One parameter: a table with `vocab_size` rows, one for each token, of width `d_model`.",
    )  # fmt: skip

    draw = torch.Generator().manual_seed(9)
    rows = torch.randn(VOCAB_SIZE, D_MODEL, generator=draw)
    set_table(my.inside(embedding, "table"), rows)
    ids = torch.tensor([[5, 2, 2, 4], [1, 6, 4, 3]])  # no 0: a pad's row may be kept out of the learning
    answer = embedding(ids)
    yield Observation(
        "the shape of two sentences of four tokens", shape(answer), [2, 4, D_MODEL], "Each id becomes a vector."
    )
    yield Observation(
        "one token: the row of id 6, times 3", embedding(torch.tensor([[6]]))[0, 0], rows[6] * 3,
        "Row t of the table, times the square root of d_model = 9.",
    )  # fmt: skip
    wanted = torch.stack([torch.stack([rows[token] * 3 for token in sentence]) for sentence in ids.tolist()])
    yield Observation("the vectors of two sentences", answer, wanted, "Every place gets its own token's row, times 3.")
    table = my.inside(embedding, "table")
    kept = table.weight if isinstance(table, nn.Embedding) else table
    yield Observation(
        "the table itself after a call", kept, rows, "forward scales what it returns; the table must stay as it is."
    )

    yield Observation(
        "whether the table is to be learned (its requires_grad)", kept.requires_grad, True,
        "No requires_grad_(False), no freeze=True: an optimizer changes only what requires a gradient.",
    )  # fmt: skip
    yield Observation(
        "whether a gradient reaches the table", answer.requires_grad, True,
        "Look the rows up in the parameter itself: `.data` and `.detach()` cut the gradient off.",
    )  # fmt: skip
    answer.sum().backward()
    times = torch.tensor([0.0, 1.0, 2.0, 1.0, 2.0, 1.0, 1.0])  # how often each id stands in `ids`
    yield Observation(
        "the gradient of each row", kept.grad, (times * 3)[:, None].expand(-1, D_MODEL),
        "Each time a token occurs, its row gets a gradient; a token that does not occur gets none.",
    )  # fmt: skip


def shape(answer: object) -> object:
    """The shape of a tensor; anything else as it is, so that the message can say what came instead."""
    return list(answer.shape) if isinstance(answer, Tensor) else answer
