"""Looks at the whole model, part by part, then at its first weights. Oracle: the library's own, with the same weights."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from glassformer.course.observation import Observation
from glassformer.course.ties import copy_stack, shake
from glassformer.course.universe import Subject
from glassformer.course.weights import read_linear, set_table
from glassformer.nn import ModelConfig, Transformer

V, D_MODEL, N_HEADS, D_FF, N_ENCODER, N_DECODER = 17, 12, 3, 20, 1, 2
SIZES = (V, D_MODEL, N_HEADS, D_FF, N_ENCODER, N_DECODER)
PAD, OTHER_PAD = 0, 1
# Two sources of six places, two translations of four; of each the second ends in pads.
SRC = torch.tensor([[5, 9, 4, 16, 7, 3], [8, 6, 12, 3, PAD, PAD]])
TGT_IN = torch.tensor([[2, 11, 4, 13], [2, 10, 14, PAD]])


def observe(my: Subject) -> Iterator[Observation]:
    """From ids to logits in the order in which the data flows."""
    make = my.part("Transformer")
    model = make(*SIZES)
    layers = [len(my.inside(my.inside(model, stack), "layers")) for stack in ("encoder", "decoder")]
    yield Observation("the number of layers in encoder and decoder", layers, [N_ENCODER, N_DECODER], "Mind the order.")
    yield Observation(
        f"how many tables of {V} tokens an optimizer finds", n_tables(model), 1,
        "Source, target and output use one matrix: embedding.table.",
    )  # fmt: skip

    mine, theirs = make_both(my, "post")
    yield from look_at_parts(mine, theirs)
    for placement in ("post", "pre"):
        mine, theirs = make_both(my, placement)
        yield Observation(
            f"the logits of two sentences, {placement}", real(mine(SRC, TGT_IN)), real(theirs(SRC, TGT_IN)),
            "encode, then decode with the memory, then project.",
        )  # fmt: skip
    mine, theirs = make_both(my, "post", pad_id=OTHER_PAD)
    src, tgt_in = (torch.where(ids == PAD, OTHER_PAD, ids) for ids in (SRC, TGT_IN))
    yield Observation(
        "the logits when the pad has id 1",
        real(mine(src, tgt_in)),
        real(theirs(src, tgt_in)),
        "Keep pad_id and use it.",
    )
    yield from look_at_first_weights(my)


def look_at_parts(mine: Any, theirs: Transformer) -> Iterator[Observation]:
    """Each method by itself, on what the library's own gave before it."""
    whole = SRC[:1]  # no pads in it
    yield Observation(
        "the memory of one source", mine.encode(whole), theirs.encode(whole),
        "Ids to vectors, positions added, through the encoder.",
    )  # fmt: skip
    memory, seen = theirs.encode(SRC), SRC != PAD
    yield Observation(
        "the memory of two sources, the second padded", mine.encode(SRC)[seen], memory[seen],
        "Nobody may look at a pad: real_places(src, pad_id).",
    )  # fmt: skip
    alone = mine.decode(TGT_IN[:1, :1], memory[:1], whole)
    yield Observation(
        "the decoder's answer for one word so far", alone, theirs.decode(TGT_IN[:1, :1], memory[:1], whole),
        "It reads tgt_in, looks at the memory, and answers with as many places as tgt_in has.",
    )  # fmt: skip
    yield Observation(
        "the decoder's answer for four words so far", mine.decode(TGT_IN[:1], memory[:1], whole),
        theirs.decode(TGT_IN[:1], memory[:1], whole), "No place may look at a later one: no_future.",
    )  # fmt: skip
    yield Observation(
        "the decoder's answer when the source has pads", real(mine.decode(TGT_IN, memory, SRC)),
        real(theirs.decode(TGT_IN, memory, SRC)), "This is what decode needs src for: its pads stay hidden.",
    )  # fmt: skip
    hidden = theirs.decode(TGT_IN, memory, SRC)
    yield Observation(
        "the logits of what the decoder answers", mine.project(hidden), theirs.project(hidden),
        "x times the transposed table, as the table is: not scaled, and no softmax.",
    )  # fmt: skip


def look_at_first_weights(my: Subject) -> Iterator[Observation]:
    """How large the numbers are before any training, in a model wide enough to measure it."""
    torch.manual_seed(15)
    model = my.part("Transformer")(500, 64, 4, 128, 1, 1)
    layer = my.inside(my.inside(model, "decoder"), "layers")[0]
    attention, feed_forward = my.inside(layer, "cross_attention"), my.inside(layer, "feed_forward")
    for name, linear in (("query", my.inside(attention, "query")), ("widen", my.inside(feed_forward, "widen"))):
        matrix = read_linear(linear)
        yield Observation(
            f"the spread of the first weights of `{name}`, over Xavier's sqrt(2 / (in + out))",
            matrix.std().item() * (sum(matrix.shape) / 2) ** 0.5, 1.0, "nn.init.xavier_uniform_ for every matrix.", tolerance=0.12,
        )  # fmt: skip
    table = table_of(my, model)
    yield Observation(
        "whether the table's first entries are small, about 1 / sqrt(d_model)", bool(table.std() < 1.5 / 64**0.5), True,
        "Larger, and the first logits are so far apart that the model starts out certain, and wrong.",
    )  # fmt: skip
    torch.manual_seed(15)
    bare = my.part("Transformer")(V, D_MODEL, N_HEADS, D_FF, 0, 0, dropout=0.5)
    changes = not torch.equal(bare.encode(SRC), bare.encode(SRC))
    yield Observation(
        "whether dropout works on embeddings plus positions (5.4)", changes, True, "Hand `dropout` to Positions."
    )
    yield from look_at_dropout_of_stacks(my)


def look_at_dropout_of_stacks(my: Subject) -> Iterator[Observation]:
    """Encoder and decoder by themselves, without the positions in front, whose dropout would hide theirs."""
    torch.manual_seed(15)
    model = my.part("Transformer")(*SIZES, dropout=0.5).train()
    encoder, decoder = my.inside(model, "encoder"), my.inside(model, "decoder")
    x, memory = torch.randn(2, 4, D_MODEL), torch.randn(2, 6, D_MODEL)
    found = {
        "encoder": not torch.equal(encoder(memory), encoder(memory)),
        "decoder": not torch.equal(decoder(x, memory), decoder(x, memory)),
    }
    yield Observation(
        "whether dropout of 0.5 does anything in each stack while training", found, {"encoder": True, "decoder": True},
        "Hand `dropout` to Encoder and to Decoder.",
    )  # fmt: skip


def make_both(my: Subject, placement: str, pad_id: int = PAD) -> tuple[Any, Transformer]:
    """A model of the learner's and one of the library's, with the same weights."""
    config = ModelConfig(
        vocab_size=V, d_model=D_MODEL, n_heads=N_HEADS, d_ff=D_FF, n_encoder_layers=N_ENCODER,
        n_decoder_layers=N_DECODER, dropout=0.0, norm_placement=placement, pad_id=pad_id, max_length=256,
    )  # fmt: skip
    theirs = shake(Transformer(config), seed=1515)
    torch.manual_seed(0)  # for weights that no library's stand for: the same in every run
    mine = my.part("Transformer")(*SIZES, placement=placement, pad_id=pad_id)
    set_table(my.inside(my.inside(mine, "embedding"), "table"), theirs.target_embedding.table.weight)
    copy_stack(my, theirs.encoder, my.inside(mine, "encoder"), cross=False)
    copy_stack(my, theirs.decoder, my.inside(mine, "decoder"), cross=True)
    return mine.eval(), theirs


def real(answer: Tensor) -> Tensor:
    """What stands at the real places of TGT_IN, if there are as many: nobody scores the pads."""
    return answer[TGT_IN != PAD] if answer.shape[:2] == TGT_IN.shape else answer


def n_tables(model: nn.Module) -> int:
    """How many parameters have a row, or a column, for each token, and a number for each column of the model."""
    return sum(sorted(parameter.shape) == sorted((V, D_MODEL)) for parameter in model.parameters())


def table_of(my: Subject, model: nn.Module) -> Tensor:
    """The table's numbers, whatever holds them."""
    table = my.inside(my.inside(model, "embedding"), "table")
    return (table.weight if isinstance(table, nn.Embedding) else table).detach()
