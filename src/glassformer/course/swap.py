"""Your code runs the real thing: a learner's modules in the places of the library's, inside a trained Transformer.

    swapped, replaced = swap_in(model, {"07": subject, "11": subject})   # the same weights, so the same translations
    first_disagreement(model, swapped, src, tgt_in)                      # None, or where they part
    assemble(config, {"25": subject})                                    # a model of the learner's, to be trained

Each stage that has a `swap.py` declares adapters there: which class of the library's it takes the place of, the map
from the learner's parameters to the library's, and a `forward` with the library's signature that supplies what
learners do not write (trace, cache, edits). The `state_dict` of a swapped model has the library's names and shapes, so
files of weights and checkpoints serve both.
"""

import copy
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from glassformer.course.catalogue import Stage, stages
from glassformer.course.examine import stage_file
from glassformer.course.ties import Tie, read_all, tie, write_all
from glassformer.course.universe import Subject
from glassformer.errors import CourseError
from glassformer.nn import ModelConfig, Trace, Transformer

# What the stages teach: the paper's model. Another kind has parts that no stage has.
PAPER = {
    "positions": "sinusoidal", "activation": "relu", "gated": False, "norm": "layer", "norm_eps": 1e-5,
    "share_embeddings": "all", "scale_embedding": True, "logits_bias": False,
}  # fmt: skip


class Adapter(nn.Module):
    """A learner's module where the library expects its own: the library's signature, the learner's arithmetic.

    A subclass also inherits from the class it takes the place of, and never runs its __init__.
    """

    replaces: ClassVar[type[nn.Module]]

    def __init__(self, learners: nn.Module, library: nn.Module, subject: Subject, config: ModelConfig) -> None:
        nn.Module.__init__(self)  # not the library's: that would make weights of its own
        self.learners = learners
        self.ties: list[Tie] = tie(subject, learners, library, self.paths(config))
        self.register_state_dict_post_hook(name_as_the_library)  # type: ignore[no-untyped-call]
        self.register_load_state_dict_pre_hook(take_from_the_library)  # type: ignore[no-untyped-call]

    @classmethod
    def build(cls, subject: Subject, config: ModelConfig) -> nn.Module:
        """Make the learner's module in the sizes of this model."""
        raise NotImplementedError

    @classmethod
    def paths(cls, config: ModelConfig) -> Mapping[str, str]:
        """The map from the learner's parameters to the library's: see ties.py."""
        raise NotImplementedError


def name_as_the_library(module: nn.Module, state: dict[str, Any], prefix: str, _: object) -> None:
    """Put the library's names in the place of the learner's, once a state_dict is made."""
    assert isinstance(module, Adapter)
    for name in [name for name in state if name.startswith(f"{prefix}learners.")]:
        del state[name]
    for name, weight in read_all(module.ties).items():
        state[prefix + name] = weight.detach()


def take_from_the_library(module: nn.Module, state: dict[str, Any], prefix: str, *_: Any) -> None:
    """Before a state_dict is loaded: write the library's tensors where the learner keeps them."""
    assert isinstance(module, Adapter)
    if any(one.name and prefix + one.name not in state for one in module.ties):
        return  # torch will say which are missing
    write_all(module.ties, {one.name: state.pop(prefix + one.name) for one in module.ties if one.name})
    # The learner's own names follow; they are to be loaded with what was just written.
    state.update({f"{prefix}learners.{name}": weight for name, weight in module.learners.state_dict().items()})


class Replaced(NamedTuple):
    """One module of the library's that gave way to a learner's."""

    place: str  # "decoder.layers.0.cross_attention"; "" is the whole model
    stage: Stage


def swappable() -> list[Stage]:
    """The stages whose modules fit into the real model, in their order."""
    return [stage for stage in stages() if (stage.folder / "swap.py").exists()]


def adapters_of(stage: Stage) -> list[type[Adapter]]:
    """What a stage's swap.py declares."""
    adapters: list[type[Adapter]] = stage_file(stage, "swap").ADAPTERS
    return adapters


def swap_in(model: Transformer, subjects: Mapping[str, Subject]) -> tuple[Transformer, list[Replaced]]:
    """A copy of the model in which the learner's modules do the work, with the model's weights, and what was replaced.

    subjects: the learner's stages by number ("07"). The outermost comes first: an encoder of the learner's brings the
    learner's attention along, and an attention alone takes every other place. CourseError where weights do not fit.
    """
    check_kind(model.config)
    swapped, replaced = copy.deepcopy(model), []
    for stage in reversed(swappable()):
        if stage.number not in subjects:
            continue
        for adapter in adapters_of(stage):
            for place, library in list(places_of(swapped, adapter.replaces)):
                mine = make_adapter(adapter, library, subjects[stage.number], model.config, stage)
                swapped = put(swapped, place, mine)
                replaced.append(Replaced(place, stage))
    return swapped, replaced


def assemble(config: ModelConfig, subjects: Mapping[str, Subject]) -> Transformer:
    """A Transformer whose modules are the learner's, to be trained. Seed torch before.

    Built by the `build` of the learner's stage 25, or else by their stage 15: then all of it is theirs, the first
    weights too. Without either, the parts that there are go into a model of the library's.
    """
    check_kind(config)
    if "25" in subjects:
        return adopt(subjects["25"].part("build")(config), config, subjects["25"])
    if "15" in subjects:
        return adopt(whole_model_adapter().build(subjects["15"], config), config, subjects["15"])
    return swap_in(Transformer(config), subjects)[0]


def adopt(learners: nn.Module, config: ModelConfig, subject: Subject) -> Transformer:
    """A Transformer of the learner's that is built already, behind the library's signature and with its own weights."""
    with torch.device("meta"):  # for its names and shapes alone
        library = Transformer(config)
    adopted = whole_model_adapter()(learners, library, subject, config)
    assert isinstance(adopted, Transformer)
    return adopted


def whole_model_adapter() -> type[Adapter]:
    """The adapter of stage 15."""
    return next(a for stage in swappable() for a in adapters_of(stage) if a.replaces is Transformer)


def check_kind(config: ModelConfig) -> None:
    """Refuse a model that has parts which no stage teaches."""
    for name, wanted in PAPER.items():
        if getattr(config, name) != wanted:
            raise CourseError(
                f"this model has {name} = {getattr(config, name)!r}; the course's modules fit into the paper's own "
                f"kind of model, which has {wanted!r} (preset vanilla-2017)"
            )
    if config.has_final_norm != (config.norm_placement == "pre"):
        raise CourseError("this model has a final norm with post, which the paper's kind of model has not")


def places_of(module: nn.Module, kind: type[nn.Module], prefix: str = "") -> Iterator[tuple[str, nn.Module]]:
    """Every module of exactly this class with its place, but none inside a learner's module or inside another."""
    if isinstance(module, Adapter):
        return
    if type(module) is kind:
        yield prefix.removesuffix("."), module
        return
    for name, child in module.named_children():
        yield from places_of(child, kind, f"{prefix}{name}.")


def make_adapter(
    adapter: type[Adapter], library: nn.Module, subject: Subject, config: ModelConfig, stage: Stage
) -> Adapter:
    """A learner's module with the weights, the device and the mode of the library's that it takes the place of."""
    weight = next(library.parameters(), None)
    with torch.random.fork_rng([]):  # its first weights are thrown away
        mine = adapter(adapter.build(subject, config), library, subject, config)
    try:
        mine.load_state_dict(library.state_dict())
    except CourseError as error:
        raise CourseError(f"stage {stage.number}, {stage.title}: {error}") from None
    if weight is not None:
        mine.to(weight.device, weight.dtype)
    return mine.train(library.training)


def put(model: Transformer, place: str, mine: Adapter) -> Transformer:
    """The model with one module replaced; in the place "" the whole of it."""
    if not place:
        assert isinstance(mine, Transformer)
        return mine
    parent, _, name = place.rpartition(".")
    setattr(model.get_submodule(parent), name, mine)
    return model


class Disagreement(NamedTuple):
    """Where a swapped model parts from the original first."""

    where: str  # "the weights of encoder.0.self", "encoder.0", "the logits"
    difference: float  # the largest


def first_disagreement(
    original: Transformer, swapped: Transformer, src: Tensor, tgt_in: Tensor, tolerance: float = 1e-4
) -> Disagreement | None:
    """Run both on the same ids and compare everything in the order in which it is computed; None where they agree.

    What stands at pads is not compared: nobody looks there.
    """
    seen = [look(model, src, tgt_in) for model in (original, swapped)]
    for name, theirs in seen[0].items():
        mine = seen[1][name]
        if mine.shape != theirs.shape:
            return Disagreement(
                f"the shape of {name}, {list(mine.shape)} instead of {list(theirs.shape)},", float("inf")
            )
        difference = (mine - theirs).abs().max().item() if theirs.numel() else 0.0
        if not difference <= tolerance * max(1.0, theirs.abs().max().item()):  # so that NaN is a disagreement
            return Disagreement(name, difference)
    return None


def look(model: Transformer, src: Tensor, tgt_in: Tensor) -> dict[str, Tensor]:
    """All that passes through a model, in order, at real places."""
    trace, config, was_training = Trace(also=("activations",)), model.config, model.training
    model.eval()
    with torch.no_grad():
        logits = model(src, tgt_in, trace=trace)
    model.train(was_training)
    found: dict[str, Tensor] = {}
    for stack, n_layers, ids in (
        ("encoder", config.n_encoder_layers, src),
        ("decoder", config.n_decoder_layers, tgt_in),
    ):
        real = ids != config.pad_id
        order = [
            f"{stack}.embedding",
            *(f"{stack}.{i}{end}" for i in range(n_layers) for end in (".self", ".cross", "")),
        ]
        for name in (*order, stack):
            if name in trace.weights:
                found[f"the weights of {name}"] = trace.weights[name].transpose(1, 2)[real]  # [real places, H, K]
            elif name in trace.activations:
                found[name] = trace.activations[name][real]
    found["the logits"] = logits[tgt_in != config.pad_id]
    return found
