"""Looks at the rate before, at and after the end of the warm-up, and at step 0. Square numbers, so that heads can do it."""

from collections.abc import Callable, Iterator

from glassformer.course.observation import Observation, Raised
from glassformer.course.universe import Subject

D_MODEL, WARMUP = 16, 25  # roots 4 and 5
FINE = 1e-6


def rate_or_error(learning_rate: Callable[[int, int, int], float], step: int) -> object:
    """What comes out of a step that is none."""
    try:
        return learning_rate(step, D_MODEL, WARMUP)
    except Exception as error:
        return Raised(type(error).__name__, str(error))


def observe(my: Subject) -> Iterator[Observation]:
    """All expectations worked by hand: d_model 16 and warmup 25 give 1/4 * min(1 / sqrt(step), step / 125)."""
    learning_rate = my.part("learning_rate")

    found = learning_rate(25, D_MODEL, WARMUP)
    yield Observation("the type of a rate", type(found).__name__, "float", "A plain number, not a tensor.")
    yield Observation(
        "the rate at the end of the warm-up, step 25 of 25, d_model 16", found, 1 / 4 * 1 / 5,
        "1/sqrt(16) times 1/sqrt(25): both branches of the minimum meet here.", tolerance=FINE,
    )  # fmt: skip
    yield Observation(
        "the first step", learning_rate(1, D_MODEL, WARMUP), 1 / 4 * 1 / 125,
        "A 25th of the peak: 1/4 * 1 * 25^-1.5, and 25^1.5 is 125.", tolerance=FINE,
    )  # fmt: skip
    yield Observation(
        "step 5, on the way up",
        learning_rate(5, D_MODEL, WARMUP),
        1 / 4 * 5 / 125,
        "Five times the first.",
        tolerance=FINE,
    )
    yield Observation(
        "step 24, one before the peak", learning_rate(24, D_MODEL, WARMUP), 1 / 4 * 24 / 125, "", tolerance=FINE
    )
    yield Observation(
        "step 100, on the way down", learning_rate(100, D_MODEL, WARMUP), 1 / 4 * 1 / 10,
        "Four times as far as the peak, so half as high: 1/4 * 1/sqrt(100).", tolerance=FINE,
    )  # fmt: skip
    yield Observation(
        "step 40,000", learning_rate(40_000, D_MODEL, WARMUP), 1 / 4 * 1 / 200, "1/4 * 1/sqrt(40000).", tolerance=FINE
    )
    yield Observation(
        "a model four times as wide, at its peak", learning_rate(25, 64, WARMUP), 1 / 8 * 1 / 5,
        "Half the rate: 1/sqrt(64) is 1/8.", tolerance=FINE,
    )  # fmt: skip
    yield Observation(
        "another warm-up: step 9 of 9, d_model 16", learning_rate(9, D_MODEL, 9), 1 / 4 * 1 / 3,
        "1/4 * 1/sqrt(9): a short warm-up has a high peak.", tolerance=FINE,
    )  # fmt: skip
    yield Observation(
        "the paper's base model (512, 4000) at its peak, in millionths", learning_rate(4000, 512, 4000) * 1e6, 698.77,
        "Nearly 0.0007.", tolerance=1e-2,
    )  # fmt: skip
    yield Observation(
        "step 0", rate_or_error(learning_rate, 0), Raised("ValueError", ""),
        "There is no step 0: 0^-0.5 is a division by zero. Raise a ValueError that says that steps count from 1.",
    )  # fmt: skip
