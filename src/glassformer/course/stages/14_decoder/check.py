"""Looks at one decoder layer, post and pre, at its two masks, then at the stack. Oracle: the library's own, same weights."""

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from glassformer.course.observation import Observation
from glassformer.course.probes import always, kinds
from glassformer.course.ties import copy_stack, copy_weights, layer_paths, same_names, shake
from glassformer.course.universe import Subject
from glassformer.nn import Decoder, DecoderLayer, ModelConfig

D_MODEL, N_HEADS, D_FF, N_LAYERS = 12, 3, 20, 2
SIZES = (D_MODEL, N_HEADS, D_FF)
PLACEMENTS = ("post", "pre")
SUBLAYERS = ("self_attention", "cross_attention", "feed_forward")


def observe(my: Subject) -> Iterator[Observation]:
    """A translation of four places so far, of sources of six; the second source has two pads."""
    draw = torch.Generator().manual_seed(14)
    x = torch.randn(2, 4, D_MODEL, generator=draw) * 2 + 0.5
    memory = torch.randn(2, 6, D_MODEL, generator=draw) * 1.5 - 0.5
    so_far = torch.ones(4, 4, dtype=torch.bool).tril()
    real = torch.tensor([[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0]], dtype=torch.bool)[:, None, None, :]

    post, pre = (make_layer(my, placement) for placement in PLACEMENTS)
    for about, (mine, theirs), note in (
        ("a layer, norm after the sum (post)", post, "In this order: self-attention, cross-attention, feed-forward."),
        (
            "a layer, norm before the sub-layer (pre)",
            pre,
            "The memory comes normalised; only the queries pass your norm.",
        ),
    ):
        answer = mine(x, memory)
        kind = list(answer.shape) if isinstance(answer, Tensor) else type(answer).__name__
        yield Observation(
            f"the shape of what comes out of {about}", kind, [2, 4, D_MODEL], "As large as x, not as memory."
        )
        yield Observation(about, answer, theirs(x, memory), note)
    yield from look_at_masks("a layer", post, (x, memory), so_far, real)

    yield Observation(
        "how many layers decoders of two and of three have",
        [len(my.inside(my.part("Decoder")(n, *SIZES), "layers")) for n in (2, 3)], [2, 3],
        "`layers` holds n_layers of them.",
    )  # fmt: skip
    yield Observation(
        "whether an optimizer finds the weights of every layer", n_weights_of_a_layer(my),
        n_weights(my.part("DecoderLayer")(*SIZES)),
        "One layer more should mean as many weights more as a layer has. Layers belong in an nn.ModuleList.",
    )  # fmt: skip
    stacks = {placement: make_stack(my, placement) for placement in PLACEMENTS}
    for placement, (mine, theirs) in stacks.items():
        yield Observation(
            f"a decoder of two layers, {placement}", mine(x, memory), theirs(x, memory),
            "Every layer looks at the same memory. With pre a norm stands at the very end; with post none does.",
        )  # fmt: skip
    yield from look_at_masks("a decoder of two layers", stacks["post"], (x, memory), so_far, real)
    yield from look_at_residuals(my, x, memory)
    yield from look_at_dropout(my, x, memory)


def look_at_masks(
    what: str, pair: tuple[nn.Module, nn.Module], given: tuple[Tensor, Tensor], so_far: Tensor, real: Tensor
) -> Iterator[Observation]:
    """Each mask alone, then what the mask of the future is for: a later word must not change an earlier place."""
    mine, theirs = pair
    x, memory = given
    yield Observation(
        f"{what} with the source's pads hidden", mine(x, memory, None, real), theirs(x, memory, None, real),
        "`memory_visible` belongs to cross-attention.",
    )  # fmt: skip
    yield Observation(
        f"{what} with the future hidden", mine(x, memory, so_far, real), theirs(x, memory, so_far, real),
        "`visible` belongs to self-attention.",
    )  # fmt: skip
    changed = x.clone()
    changed[:, 3] += 5.0
    moved = (mine(changed, memory, so_far, real) - mine(x, memory, so_far, real))[:, :3].abs().max().item()
    yield Observation(
        f"{what}: how much places 0 to 2 change when the word at place 3 does", moved, 0.0,
        "With the future hidden, they cannot know.",
    )  # fmt: skip


def look_at_dropout(my: Subject, x: Tensor, memory: Tensor) -> Iterator[Observation]:
    """Whether the rate that a decoder is given reaches its layers."""
    torch.manual_seed(14)
    forgetful = my.part("Decoder")(1, *SIZES, dropout=0.5)
    changes = not torch.equal(forgetful(x, memory), forgetful(x, memory))
    yield Observation("whether dropout of 0.5 does anything while training", changes, True, "Hand `dropout` on.")


def look_at_residuals(my: Subject, x: Tensor, memory: Tensor) -> Iterator[Observation]:
    """Each residual's dropout by itself: one sub-layer answers 1 everywhere, the others 0, whatever drops inside them."""
    for placement in ("pre", "post"):
        found: dict[str, object] = {}
        for speaking in SUBLAYERS:
            torch.manual_seed(14)
            layer = my.part("DecoderLayer")(*SIZES, dropout=0.5, placement=placement).train()
            for name in SUBLAYERS:
                my.inside(layer, name).register_forward_hook(always(float(name == speaking)))
            once, again = layer(x, memory), layer(x, memory)
            found[speaking] = kinds(once - x) if placement == "pre" else not torch.equal(once, again)
        wanted = {name: ["0", "2"] if placement == "pre" else True for name in SUBLAYERS}
        yield Observation(
            "dropout 0.5 in training, pre: what each sub-layer adds to x when it says 1 everywhere" if placement == "pre"
            else "dropout 0.5 in training, post: whether it falls on what each sub-layer says",
            found, wanted, "Each residual needs the rate, in both placements: what a sub-layer says becomes 0 or twice as large.",
        )  # fmt: skip


def config_of(placement: str) -> ModelConfig:
    """The library's sizes."""
    sizes = {"d_model": D_MODEL, "n_heads": N_HEADS, "d_ff": D_FF, "n_decoder_layers": N_LAYERS, "dropout": 0.0}
    return ModelConfig(vocab_size=9, norm_placement=placement, **sizes)  # type: ignore[arg-type]


def make_layer(my: Subject, placement: str) -> tuple[nn.Module, nn.Module]:
    """A layer of the learner's and one of the library's, with the same weights."""
    theirs = shake(DecoderLayer(config_of(placement)), seed=1414)
    torch.manual_seed(0)  # for weights that no library's stand for: the same in every run
    mine = my.part("DecoderLayer")(*SIZES, placement=placement)
    copy_weights(my, theirs, mine, same_names(*layer_paths(cross=True)))
    return mine, theirs


def make_stack(my: Subject, placement: str) -> tuple[nn.Module, nn.Module]:
    """A decoder of the learner's and one of the library's, with the same weights."""
    theirs = shake(Decoder(config_of(placement)), seed=1415)
    torch.manual_seed(0)  # for weights that no library's stand for: the same in every run
    mine = my.part("Decoder")(N_LAYERS, *SIZES, placement=placement)
    copy_stack(my, theirs, mine, cross=True)
    return mine, theirs


def n_weights(module: nn.Module) -> int:
    """How many numbers an optimizer would find."""
    return sum(parameter.numel() for parameter in module.parameters())


def n_weights_of_a_layer(my: Subject) -> int:
    """How many more weights a decoder of three has than a decoder of two."""
    return n_weights(my.part("Decoder")(3, *SIZES)) - n_weights(my.part("Decoder")(2, *SIZES))
