"""Which tensor of a learner's module is which tensor of the library's, whatever the learner keeps it in.

A map says it in dotted paths: {"embedding.table": "target_embedding.table"}, the learner's path to the library's. Each
step of the learner's path may have another name by adapter.toml. A path ends at a linear map (`nn.Linear`, or a
`Parameter` used as x @ W), a table of vectors (`nn.Embedding` or a `Parameter`), or a vector.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

import torch
from torch import Tensor, nn

from glassformer.course.universe import MissingPart, Subject
from glassformer.errors import CourseError

Module = TypeVar("Module", bound=nn.Module)


class Tie(NamedTuple):
    """One tensor of the library's, and the learner's tensor that stands for it."""

    name: str  # the library's: "query.weight"; "" where the library has none and the learner's must stay zero
    path: str  # the learner's, for messages: "query"
    shape: tuple[int, ...]  # the library's
    held: Tensor | None  # the learner's; None where the learner has no such bias, and so can only take zeros
    turned: bool = False  # the learner's is [in, out], the library's [out, in]

    def read(self) -> Tensor:
        """The learner's tensor, in the library's shape."""
        if self.held is None:
            return torch.zeros(self.shape)
        return self.held.T if self.turned else self.held

    def misfit(self, theirs: Tensor) -> str:
        """Why the library's tensor cannot be written here; "" where it can."""
        if self.held is None:
            if not theirs.any():
                return ""
            return (
                f"your `{self.path}` has no bias, and the model has {self.name}: use nn.Linear, which has one, or keep "
                f"a Parameter `{self.path.rpartition('.')[2]}_bias` beside it"
            )
        if self.read().shape != theirs.shape:
            yours = list(self.read().shape)
            return f"your `{self.path}` has shape {yours}; the model's {self.name} has {list(theirs.shape)}"
        return ""

    def write(self, theirs: Tensor) -> None:
        """Copy the library's tensor into the learner's."""
        if self.held is not None:
            with torch.no_grad():
                self.held.copy_(theirs.T if self.turned else theirs)


def reach(subject: Subject, holder: Any, path: str) -> Any:
    """What stands at the end of a learner's path, each step by the learner's own name for it."""
    for step in path.split("."):
        if step.isdecimal():
            holder = holder[int(step)]
        elif step == "norm":
            holder = find_norm(subject, holder)
        else:
            holder = subject.inside(holder, step)
    return holder


def find_norm(subject: Subject, holder: nn.Module) -> nn.Module:
    """The norm of a residual or of a stack. It needs no name where nothing else in there has weights."""
    try:
        found: nn.Module = subject.inside(holder, "norm")
    except MissingPart:
        with_weights = [module for module in holder.modules() if list(module.parameters(recurse=False))]
        if len(with_weights) != 1:
            raise
        return with_weights[0]
    return found


def find_bias(subject: Subject, owner: nn.Module, step: str, width: int) -> Tensor | None:
    """The bias of a map that is a Parameter: `widen_bias` beside `widen`, or the only vector of the right width."""
    try:
        found: Tensor = subject.inside(owner, f"{step}_bias")
    except MissingPart:
        vectors = [vector for vector in owner.parameters(recurse=False) if vector.shape == (width,)]
        return vectors[0] if len(vectors) == 1 else None
    return found


def reach_library(holder: Any, path: str) -> Any:
    """What stands at the end of a library's path."""
    for step in path.split("."):
        holder = holder[int(step)] if step.isdecimal() else getattr(holder, step)
    return holder


def tie(subject: Subject, learners: nn.Module, library: nn.Module, paths: Mapping[str, str]) -> list[Tie]:
    """Every tensor of the library's module with the learner's that stands for it."""
    ties: list[Tie] = []
    for path, name in paths.items():
        held, theirs = reach(subject, learners, path), reach_library(library, name)
        if isinstance(theirs, nn.Linear):
            parent, _, step = path.rpartition(".")
            owner = reach(subject, learners, parent) if parent else learners
            bias = held.bias if isinstance(held, nn.Linear) else find_bias(subject, owner, step, theirs.out_features)
            ties += tie_linear(path, name, held, bias, theirs)
        elif isinstance(theirs, nn.Embedding):
            table = held.weight if isinstance(held, nn.Embedding) else held
            ties.append(Tie(f"{name}.weight", path, tuple(theirs.weight.shape), table))
        else:
            ties.append(Tie(name, path, tuple(theirs.shape), held))
    missing = library.state_dict().keys() - {tie.name for tie in ties}
    assert not missing, f"no path of the map leads to {sorted(missing)}"
    return ties


def tie_linear(path: str, name: str, held: Any, bias: Tensor | None, theirs: nn.Linear) -> list[Tie]:
    """The matrix and the bias of a linear map."""
    shape, width = tuple(theirs.weight.shape), (theirs.out_features,)
    if not isinstance(held, (nn.Linear, Tensor)):
        raise CourseError(f"your `{path}` is a {type(held).__name__}; it should be an nn.Linear or an nn.Parameter")
    matrix = held.weight if isinstance(held, nn.Linear) else held
    ties = [Tie(f"{name}.weight", path, shape, matrix, turned=matrix is held)]
    if theirs.bias is not None:
        ties.append(Tie(f"{name}.bias", path, width, bias))
    elif bias is not None:
        ties.append(Tie("", path, width, bias))
    return ties


def write_all(ties: list[Tie], state: Mapping[str, Tensor]) -> None:
    """Copy the library's tensors into the learner's; CourseError where one does not fit, and then nothing is copied."""
    misfits = [misfit for tie in ties if tie.name and (misfit := tie.misfit(state[tie.name]))]
    if misfits:
        raise CourseError(misfits[0])
    for one in ties:
        one.write(state[one.name] if one.name else torch.zeros(one.shape))


def read_all(ties: list[Tie]) -> dict[str, Tensor]:
    """The learner's tensors under the library's names."""
    for one in ties:
        if not one.name and one.read().any():
            raise CourseError(f"your `{one.path}` has learnt a bias, and a model of this config has none to keep it in")
    return {one.name: one.read() for one in ties if one.name}


def copy_weights(subject: Subject, library: nn.Module, learners: nn.Module, paths: Mapping[str, str]) -> None:
    """Give a learner's module the weights of the library's."""
    write_all(tie(subject, learners, library, paths), library.state_dict())


# The maps of the parts, relative to the part. Both sides have the same names: the stubs give them the library's.
ATTENTION = ("query", "key", "value", "out")
FEED_FORWARD = ("widen", "narrow")
NORM = ("weight", "bias")


def same_names(*paths: str) -> dict[str, str]:
    """A map from paths to themselves."""
    return {path: path for path in paths}


def layer_paths(*, cross: bool) -> list[str]:
    """The paths of one layer of a stack."""
    attentions = ("self_attention", "cross_attention") if cross else ("self_attention",)
    paths = [f"{attention}.{end}" for attention in attentions for end in ATTENTION]
    paths += [f"feed_forward.{end}" for end in FEED_FORWARD]
    return paths + [f"{part}_residual.norm.{end}" for part in (*attentions, "feed_forward") for end in NORM]


def stack_paths(n_layers: int, *, cross: bool, final_norm: bool) -> list[str]:
    """The paths of an encoder, or with `cross` of a decoder."""
    paths = [f"layers.{i}.{path}" for i in range(n_layers) for path in layer_paths(cross=cross)]
    return paths + ([f"norm.{end}" for end in NORM] if final_norm else [])


def copy_stack(subject: Subject, library: nn.Module, learners: nn.Module, *, cross: bool) -> None:
    """Give a learner's encoder (with `cross`, decoder) the library's weights; a final norm only where both have one.

    For checks, which look at a stack even where its norm is missing or one too many.
    """
    layers = subject.inside(learners, "layers")
    for mine, theirs in zip(layers, library.layers, strict=True):  # type: ignore[arg-type]
        copy_weights(subject, theirs, mine, same_names(*layer_paths(cross=cross)))
    try:
        norm = subject.inside(learners, "norm")
    except MissingPart:
        return
    if hasattr(norm, "weight") and hasattr(library.norm, "weight"):
        copy_weights(subject, library.norm, norm, same_names(*NORM))  # type: ignore[arg-type]


def shake(module: Module, *, seed: int) -> Module:
    """Random weights everywhere, so that no norm and no matrix can be mistaken for another.

    Biases of linear maps become zero: a learner may have written a map as a matrix alone.
    """
    draw = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in module.named_parameters():
            if name.endswith("norm.weight"):
                weight.copy_(1 + 0.3 * torch.randn(weight.shape, generator=draw))
            elif weight.dim() > 1 or name.endswith("norm.bias"):
                weight.copy_(0.4 * torch.randn(weight.shape, generator=draw))
            else:
                weight.zero_()
    return module.eval()
