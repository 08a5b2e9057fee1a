"""SearchConfig: what it refuses, and the two length penalties."""

import subprocess
import sys
from typing import Any

import pytest

from glassformer.translation.config import SearchConfig


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"beam_width": 0}, "beam_width is 0; it must be a whole number, at least 1"),
        ({"n_best": 5, "beam_width": 4}, "n_best is 5 but beam_width 4"),
        ({"alpha": -0.1}, "alpha is -0.1; it must be a number from 0"),
        ({"alpha": float("nan")}, "alpha is nan"),
        ({"min_length": 9, "max_length": 8}, "max_length is 8; it must be a whole number, at least 9"),
        ({"top_p": 0.0}, "top_p is 0"),
        ({"top_k": -1}, "top_k is -1"),
        ({"temperature": -1.0}, "temperature is -1.0"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": 2**63}, f"seed is {2**63}; it must be at most {2**63 - 1}"),
    ],
)
def test_what_cannot_be_meant_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message.replace(".", r"\.")):
        SearchConfig(**settings)


def test_values_of_another_type_are_refused_where_no_type_checker_runs() -> None:
    # In a process of its own: here beartype would be first.
    program = """
from glassformer.translation.config import SearchConfig
for settings in ({"beam_width": True}, {"penalty": "gmnt"}, {"stopping": None}, {"alpha": "0.6"}, {"max_length": 2.5}):
    try:
        SearchConfig(**settings)
    except ValueError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "beam_width is True; it must be a whole number, at least 1",
        "penalty is 'gmnt'; it must be one of gnmt, power",
        "stopping is None; it must be one of bound, count, present",
        "alpha is '0.6'; it must be a number from 0 to 100",
        "max_length is 2.5; it must be a whole number, at least 1",
    ]


def test_drawing_may_give_back_more_than_a_beam_is_wide() -> None:
    assert SearchConfig(temperature=1.0, n_best=9, beam_width=1).samples


def test_penalties_by_hand() -> None:
    # ((5 + 7) / 6) ** 1 = 2; ((5 + 1) / 6) ** anything = 1; 9 ** 0.5 = 3.
    assert SearchConfig(penalty="gnmt", alpha=1.0).penalise(-6.0, 7) == pytest.approx(-3.0)
    assert SearchConfig(penalty="gnmt", alpha=0.6).penalise(-6.0, 1) == pytest.approx(-6.0)
    assert SearchConfig(penalty="power", alpha=0.5).penalise(-6.0, 9) == pytest.approx(-2.0)
    assert SearchConfig(penalty="power", alpha=0.0).penalise(-6.0, 9) == pytest.approx(-6.0)


def test_neither_the_config_nor_a_translation_needs_torch() -> None:
    program = (
        "from glassformer.translation import SearchConfig, Translation; import sys; assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
