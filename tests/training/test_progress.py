"""What one sees of a training, on a terminal and elsewhere."""

import io
from typing import Any

import pytest
from rich.console import Console

from glassformer.training.progress import LiveProgress, PlainProgress, Speed, duration, shorten, show_progress
from glassformer.training.watcher import Everyone, StepReport, Watcher

REPORT = StepReport(step=20, n_steps=80, epoch=2, loss=3.456, learning_rate=0.00123, n_tokens=700)
TRAIN: dict[str, Any] = {"event": "train", "step": 20, "loss": 3.456, "learning_rate": 0.00123}
VALID: dict[str, Any] = {
    "event": "valid",
    "step": 20,
    "loss": 3.21,
    "scores": {"bleu": 12.345},
    "samples": [["I like pizza", "मुझे पिज़्ज़ा पसंद है", "मुझे पिज़्ज़ा पसंद है"], ["[red]", "x" * 200, "y"]],
    "best": True,
}


def console(*, terminal: bool) -> Console:
    return Console(
        file=io.StringIO(), force_terminal=terminal, width=110, color_system="truecolor" if terminal else None
    )


def written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_elsewhere_there_are_plain_lines() -> None:
    page = console(terminal=False)
    with show_progress(page) as watcher:
        watcher.stepped(REPORT)
        watcher.happened(TRAIN)
        watcher.happened(VALID)
        watcher.noted("a remark [with] brackets")
    lines = written(page).splitlines()
    assert isinstance(watcher, PlainProgress)
    assert lines[0].startswith("step 20 of 80   loss 3.456   learning rate 1.23e-03   ")
    assert lines[0].endswith(" left")
    assert lines[1] == "step 20   validation: loss 3.210   bleu 12.35   (best)"
    assert lines[2] == "    I like pizza  →  मुझे पिज़्ज़ा पसंद है"
    assert lines[3].startswith("    [red]  →  xxx")
    assert lines[4] == "a remark [with] brackets"
    assert "\x1b" not in written(page)
    assert max(map(len, lines)) < 140


def test_on_a_terminal_there_is_a_live_display() -> None:
    page = console(terminal=True)
    with show_progress(page) as watcher:
        watcher.stepped(REPORT)
        watcher.happened(TRAIN)
        watcher.happened(VALID)
    shown = written(page)
    assert isinstance(watcher, LiveProgress)
    for words in ("step 20 of 80, epoch 2", "3.456", "1.23e-03", "tokens/s", "left", "पसंद", "bleu 12.35"):
        assert words in shown, words


def test_before_the_first_step_the_display_says_so() -> None:
    page = console(terminal=True)
    page.print(LiveProgress(page).render())
    assert "first step" in written(page)


def test_several_can_watch() -> None:
    pages = [console(terminal=False), console(terminal=False)]
    everyone: Watcher = Everyone(*(PlainProgress(page) for page in pages))
    everyone.stepped(REPORT)
    everyone.happened(VALID)
    everyone.noted("end")
    assert written(pages[0]) == written(pages[1])
    assert "end" in written(pages[0])


def test_speed_is_tokens_over_time_without_the_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    speed = Speed()
    assert speed.tokens_per_second == 0
    assert speed.seconds_left(5) is None
    for _ in range(3):
        now[0] += 2.0
        speed.step(500)
        now[0] += 10.0
        speed.pause()
    assert speed.tokens_per_second == pytest.approx(250)
    assert speed.seconds_left(5) == pytest.approx(5 * 12)


@pytest.mark.parametrize(
    ("seconds", "text"), [(None, "?"), (4.4, "4 s"), (89, "89 s"), (95, "2 min"), (5000, "83 min"), (7500, "2 h 5 min")]
)
def test_durations_are_said_as_one_says_them(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


def test_long_texts_are_cut() -> None:
    assert shorten("short") == "short"
    assert len(shorten("x" * 100)) == 60
