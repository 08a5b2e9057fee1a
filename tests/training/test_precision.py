"""Which numbers, on which device: what always works unless something better was measured."""

import pytest
import torch

from glassformer.machine.precision import Bf16Speed, MeasureError
from glassformer.training import precision
from glassformer.training.precision import DeviceError, autocast, choose_device, choose_precision


def measured(monkeypatch: pytest.MonkeyPatch, answer: Bf16Speed | MeasureError | None) -> None:
    def measure(seconds: float) -> Bf16Speed | None:
        if isinstance(answer, MeasureError):
            raise answer
        return answer

    monkeypatch.setattr(precision, "measure_bf16", measure)


def speed(training: float) -> Bf16Speed:
    return Bf16Speed(product=training, training=training, rounds=3)


def test_fp32_is_taken_at_its_word_without_measuring(monkeypatch: pytest.MonkeyPatch) -> None:
    measured(monkeypatch, MeasureError("must not be asked"))
    assert choose_precision("fp32", "cpu") == ("fp32", "as asked")


@pytest.mark.parametrize(("factor", "chosen"), [(1.9, "bf16"), (1.05, "fp32"), (0.3, "fp32")])
def test_auto_takes_bf16_only_where_it_is_faster(monkeypatch: pytest.MonkeyPatch, factor: float, chosen: str) -> None:
    measured(monkeypatch, speed(factor))
    assert choose_precision("auto", "cpu")[0] == chosen


def test_auto_stays_with_fp32_where_bf16_kills_or_cannot_be_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    measured(monkeypatch, None)
    assert choose_precision("auto", "cpu") == ("fp32", "bf16 does not work on this CPU")
    measured(monkeypatch, MeasureError("no room"))
    assert choose_precision("auto", "cpu") == ("fp32", "bf16 could not be measured: no room")


def test_bf16_is_refused_before_it_kills_the_training(monkeypatch: pytest.MonkeyPatch) -> None:
    measured(monkeypatch, None)
    with pytest.raises(DeviceError, match='"bf16" kills the process on this CPU'):
        choose_precision("bf16", "cpu")
    measured(monkeypatch, speed(0.3))
    assert choose_precision("bf16", "cpu") == ("bf16", "as asked")


@pytest.mark.slow
def test_auto_really_measures_here() -> None:
    chosen, why = choose_precision("auto", "cpu")
    assert chosen in ("fp32", "bf16")
    assert "bf16" in why


def test_the_cpu_is_always_there_and_what_is_not_is_refused() -> None:
    assert choose_device("cpu") == ("cpu", "as asked")
    with pytest.raises(DeviceError, match=r"device 'abacus' is not here; this machine has .*cpu"):
        choose_device("abacus")
    assert choose_device("auto")[0] in ("cpu", "cuda", "mps")


def test_products_are_made_in_the_precision_asked_for() -> None:
    numbers = torch.ones(2, 2)
    with autocast(torch.device("cpu"), "bf16"):
        assert (numbers @ numbers).dtype == torch.bfloat16
    with autocast(torch.device("cpu"), "fp32"):
        assert (numbers @ numbers).dtype == torch.float32
