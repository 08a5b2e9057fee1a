"""Looks at one encoder layer, post and pre, then at the stack. Oracle: the library's own, with the same weights."""

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from glassformer.course.observation import Observation
from glassformer.course.probes import always, kinds
from glassformer.course.ties import copy_stack, copy_weights, layer_paths, same_names, shake
from glassformer.course.universe import Subject
from glassformer.nn import Encoder, EncoderLayer, ModelConfig

D_MODEL, N_HEADS, D_FF, N_LAYERS = 12, 3, 20, 2
SIZES = (D_MODEL, N_HEADS, D_FF)
PLACEMENTS = ("post", "pre")
SUBLAYERS = ("self_attention", "feed_forward")


def observe(my: Subject) -> Iterator[Observation]:
    """Two sentences of five places, the second with two pads."""
    draw = torch.Generator().manual_seed(13)
    x = torch.randn(2, 5, D_MODEL, generator=draw) * 2 + 0.5
    visible = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]], dtype=torch.bool)[:, None, None, :]

    post, pre = (make_layer(my, placement) for placement in PLACEMENTS)
    for about, (mine, theirs), note in (
        ("a layer, norm after the sum (post)", post, "Attention in its residual first, then feed-forward in its own."),
        ("a layer, norm before the sub-layer (pre)", pre, "The sub-layer must use what the residual hands to it."),
    ):
        answer = mine(x)
        kind = list(answer.shape) if isinstance(answer, Tensor) else type(answer).__name__
        yield Observation(
            f"the shape of what comes out of {about}", kind, [2, 5, D_MODEL], "One tensor, as large as x."
        )
        yield Observation(about, answer, theirs(x), note)
    yield Observation(
        "a layer with a mask that hides two pads", post[0](x, visible), post[1](x, visible),
        "`visible` goes to attention as its fourth argument.",
    )  # fmt: skip

    yield Observation(
        "how many layers encoders of two and of three have",
        [len(my.inside(my.part("Encoder")(n, *SIZES), "layers")) for n in (2, 3)], [2, 3],
        "`layers` holds n_layers of them.",
    )  # fmt: skip
    yield Observation(
        "whether an optimizer finds the weights of every layer", n_weights_of_a_layer(my, "Encoder"),
        n_weights(my.part("EncoderLayer")(*SIZES)),
        "One layer more should mean as many weights more as a layer has. Layers belong in an nn.ModuleList.",
    )  # fmt: skip

    stacks = {placement: make_stack(my, placement) for placement in PLACEMENTS}
    for placement, (mine, theirs) in stacks.items():
        yield Observation(
            f"an encoder of two layers, {placement}", mine(x), theirs(x),
            "Each layer reads what the layer before it wrote. With pre a norm stands at the very end; with post none does.",
        )  # fmt: skip
    mine, theirs = stacks["post"]
    yield Observation(
        "an encoder with a mask that hides two pads",
        mine(x, visible),
        theirs(x, visible),
        "Every layer needs the mask.",
    )

    yield from look_at_residuals(my, x)
    yield from look_at_dropout(my, x)


def look_at_dropout(my: Subject, x: Tensor) -> Iterator[Observation]:
    """Whether the rate that an encoder is given reaches its layers."""
    torch.manual_seed(13)
    forgetful = my.part("Encoder")(1, *SIZES, dropout=0.5)
    changes = not torch.equal(forgetful(x), forgetful(x))
    yield Observation("whether dropout of 0.5 does anything while training", changes, True, "Hand `dropout` on.")
    forgetful.eval()
    changes = not torch.equal(forgetful(x), forgetful(x))
    yield Observation("whether it does anything after .eval()", changes, False, "nn.Dropout stops by itself.")


def look_at_residuals(my: Subject, x: Tensor) -> Iterator[Observation]:
    """Each residual's dropout by itself: one sub-layer answers 1 everywhere, the others 0, whatever drops inside them."""
    for placement in ("pre", "post"):
        found: dict[str, object] = {}
        for speaking in SUBLAYERS:
            torch.manual_seed(13)
            layer = my.part("EncoderLayer")(*SIZES, dropout=0.5, placement=placement).train()
            for name in SUBLAYERS:
                my.inside(layer, name).register_forward_hook(always(float(name == speaking)))
            once, again = layer(x), layer(x)
            found[speaking] = kinds(once - x) if placement == "pre" else not torch.equal(once, again)
        wanted = {name: ["0", "2"] if placement == "pre" else True for name in SUBLAYERS}
        yield Observation(
            "dropout 0.5 in training, pre: what each sub-layer adds to x when it says 1 everywhere" if placement == "pre"
            else "dropout 0.5 in training, post: whether it falls on what each sub-layer says",
            found, wanted, "Each residual needs the rate, in both placements: what a sub-layer says becomes 0 or twice as large.",
        )  # fmt: skip


def config_of(placement: str) -> ModelConfig:
    """The library's sizes."""
    sizes = {"d_model": D_MODEL, "n_heads": N_HEADS, "d_ff": D_FF, "n_encoder_layers": N_LAYERS, "dropout": 0.0}
    return ModelConfig(vocab_size=9, norm_placement=placement, **sizes)  # type: ignore[arg-type]


def make_layer(my: Subject, placement: str) -> tuple[nn.Module, nn.Module]:
    """A layer of the learner's and one of the library's, with the same weights."""
    theirs = shake(EncoderLayer(config_of(placement)), seed=1313)
    torch.manual_seed(0)  # for weights that no library's stand for: the same in every run
    mine = my.part("EncoderLayer")(*SIZES, placement=placement)
    copy_weights(my, theirs, mine, same_names(*layer_paths(cross=False)))
    return mine, theirs


def make_stack(my: Subject, placement: str) -> tuple[nn.Module, nn.Module]:
    """An encoder of the learner's and one of the library's, with the same weights."""
    theirs = shake(Encoder(config_of(placement)), seed=1314)
    torch.manual_seed(0)  # for weights that no library's stand for: the same in every run
    mine = my.part("Encoder")(N_LAYERS, *SIZES, placement=placement)
    copy_stack(my, theirs, mine, cross=False)
    return mine, theirs


def n_weights(module: nn.Module) -> int:
    """How many numbers an optimizer would find."""
    return sum(parameter.numel() for parameter in module.parameters())


def n_weights_of_a_layer(my: Subject, name: str) -> int:
    """How many more weights a stack of three has than a stack of two."""
    return n_weights(my.part(name)(3, *SIZES)) - n_weights(my.part(name)(2, *SIZES))
