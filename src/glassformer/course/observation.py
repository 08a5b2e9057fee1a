"""One thing that a check looks at: what came out and what was wanted; and when two such things are the same.

Imports torch only when a tensor is there to be compared: the first stages do without it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Observation:
    """One look at the subject. A check yields them in the order in which a learner should get them right."""

    about: str  # "the weights of 'it'": stands in "Wrong: {about}"
    got: object
    wanted: object
    note: str = ""  # what to think of when it is wrong and no known mistake explains it
    picture: Literal["heat", ""] = ""  # heat: a matrix, drawn beside the wanted one
    rows: Sequence[str] = ()  # the picture's labels
    columns: Sequence[str] = ()
    tolerance: float = 1e-4

    @property
    def right(self) -> bool:
        """Whether what came out is what was wanted."""
        return same(self.got, self.wanted, self.tolerance)


@dataclass(frozen=True)
class Raised:
    """What came out was an error."""

    kind: str  # "TypeError"
    text: str
    where: str = ""  # "line 14 of your file"

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}" if self.text else self.kind


def same(a: object, b: object, tolerance: float = 1e-4) -> bool:
    """Equal, numbers to a tolerance; NaN equals NaN, and a tensor never equals what is none."""
    if is_tensor(a) or is_tensor(b):
        return is_tensor(a) and is_tensor(b) and same_tensors(a, b, tolerance)
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)
    if isinstance(a, Raised) and isinstance(b, Raised):
        # One without a text stands for any error of its kind: what a check wants.
        return a.kind == b.kind and (a.text == b.text or "" in (a.text, b.text))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(same(a[key], b[key], tolerance) for key in a)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(same(x, y, tolerance) for x, y in zip(a, b, strict=True))
    return type(a) is type(b) and a == b


def is_tensor(value: object) -> bool:
    """Whether it is a torch tensor, without importing torch where nobody has."""
    return type(value).__module__.split(".")[0] == "torch" and hasattr(value, "allclose")


def same_tensors(a: Any, b: Any, tolerance: float) -> bool:
    """Same shape, and same numbers to a tolerance."""
    if a.shape != b.shape or a.is_floating_point() != b.is_floating_point():
        return False
    a, b = a.detach(), b.detach()
    if not a.is_floating_point():
        return bool((a == b).all())
    return bool(a.double().allclose(b.double(), rtol=tolerance, atol=tolerance, equal_nan=True))


def show(value: object) -> str:
    """A value in a few characters, for a sentence."""
    if is_tensor(value):
        return show_tensor(value)
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Raised):
        return f"an error ({value})"
    text = repr(value)
    return text if len(text) <= 200 else text[:197] + "..."


def show_tensor(value: Any) -> str:
    """A tensor: its numbers where they are few, its shape where they are many."""
    if value.dim() == 0:
        return show(value.item())
    if value.numel() > 12:
        return f"a tensor of shape {list(value.shape)}"
    return str(rounded(value.tolist()))


def rounded(numbers: Any) -> Any:
    """Lists of any depth, with four decimals."""
    return [rounded(entry) for entry in numbers] if isinstance(numbers, list) else round(numbers, 4)


def first_difference(got: object, wanted: object, tolerance: float) -> str:
    """Where two tensors of the same shape part first, in words; "" where that says nothing."""
    if not (is_tensor(got) and is_tensor(wanted)):
        return ""
    a: Any = got
    b: Any = wanted
    if a.shape != b.shape:
        return f"the shape is {list(a.shape)}; it should be {list(b.shape)}"
    if a.dim() == 0 or a.numel() == 0:
        return ""
    different = ~a.detach().double().isclose(b.detach().double(), rtol=tolerance, atol=tolerance, equal_nan=True)
    places = different.nonzero().tolist()
    if not places:
        return ""
    place = tuple(places[0])
    return (
        f"{len(places)} of {a.numel()} numbers differ; the first, at {list(place)}, is {show(a[place].item())} "
        f"and should be {show(b[place].item())}"
    )
