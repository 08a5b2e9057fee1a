"""Which pairs are dropped, and why."""

from typing import Any

import numpy as np
import pytest

from glassformer.data.filters import REASONS, FilterConfig, TextFilter, length_faults


def fault(
    src: str, tgt: str, config: FilterConfig | None = None, languages: tuple[str, str] = ("en", "hi")
) -> str | None:
    return TextFilter(config or FilterConfig(), *languages).fault(src, tgt)


def test_a_good_pair_has_no_fault() -> None:
    assert fault("I like pizza.", "मुझे पिज़्ज़ा पसंद है।") is None


@pytest.mark.parametrize(("src", "tgt"), [("", "है"), ("x", ""), ("", "")])
def test_a_side_without_text_is_empty(src: str, tgt: str) -> None:
    assert fault(src, tgt) == "empty"


@pytest.mark.parametrize(
    ("src", "tgt"), [("Hello", "Hello"), ("नमस्ते", "नमस्ते"), ("I like pizza", "मैं like pizza and tea")]
)
def test_a_side_mostly_in_another_script_is_wrong(src: str, tgt: str) -> None:
    assert fault(src, tgt) == "wrong script"


def test_names_in_another_script_are_no_fault() -> None:
    assert fault("DVD player", "यह एक DVD है") is None


def test_numbers_have_no_script() -> None:
    assert fault("12:30", "12:30") is None


def test_the_script_of_an_unknown_language_is_not_judged() -> None:
    assert fault("нет", "нет", languages=("xx", "yy")) is None


def test_the_script_is_not_judged_when_told_so() -> None:
    assert fault("Hello", "Hello", FilterConfig(min_script=0)) is None


def test_identical_sides_are_dropped_only_when_told_so() -> None:
    assert fault("42", "42") is None
    assert fault("42", "42", FilterConfig(identical="drop")) == "identical"


def test_lengths_are_judged_by_tokens() -> None:
    config = FilterConfig(max_tokens=40, max_ratio=2)
    lengths = np.array([[40, 40], [41, 30], [30, 41], [20, 10], [21, 10], [10, 21], [10, 2], [99, 1]])
    found = length_faults(lengths[:, 0], lengths[:, 1], config)
    assert found["too long"].tolist() == [False, True, True, False, False, False, False, True]
    assert found["uneven"].tolist() == [False, False, False, False, True, True, False, False]


def test_any_ratio_is_allowed_when_told_so() -> None:
    found = length_faults(np.array([200]), np.array([2]), FilterConfig(max_ratio=0))
    assert not found["uneven"].any()


def test_every_fault_is_a_reason_that_can_be_explained() -> None:
    faults = {fault("", ""), fault("a", "a"), fault("42", "42", FilterConfig(identical="drop"))}
    assert faults | set(length_faults(np.array([1]), np.array([1]), FilterConfig())) | {"duplicate"} == set(REASONS)


def test_what_is_to_be_scored_is_dropped_only_where_it_cannot_be() -> None:
    config = FilterConfig(max_tokens=77, max_ratio=2, identical="drop")
    assert config.of_split("train") is config
    lenient = config.of_split("valid")
    assert lenient.max_tokens == 77
    assert lenient.duplicates == "keep"
    assert fault("Hello", "Hello", lenient) is None
    assert fault("", "x", lenient) == "empty"
    assert not length_faults(np.array([70]), np.array([2]), lenient)["uneven"].any()


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [("max_tokens", 1, "at least 2"), ("max_ratio", 0.5, "at least 1, or 0"), ("min_script", 1.1, "between 0 and 1")],
)
def test_a_value_that_cannot_be_is_refused_by_name(field: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        FilterConfig(**{field: value})
    assert field in str(caught.value)


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
def test_a_number_that_is_none_is_refused(value: float) -> None:
    """A run's settings could not be written with it and read again."""
    for field in ("max_ratio", "min_script"):
        with pytest.raises(ValueError, match=f"{field} is {value}; it must be"):
            FilterConfig(**{field: value})  # type: ignore[arg-type]
