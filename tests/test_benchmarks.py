"""The judge is judged: ratios, workers that die, engines left out, refusals, the chart. No speed is asked for."""

import importlib
import json
import signal
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch):
    """Import a file of benchmarks/, which are scripts beside each other and no package."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "benchmarks"), prepend=":")
    yield importlib.import_module
    for name in [path.stem for path in (ROOT / "benchmarks").glob("*.py")]:
        sys.modules.pop(name, None)


def test_a_ratio_is_that_of_one_round_and_not_of_medians(bench) -> None:
    found = bench("measuring").ratios([1.0, 20.0, 6.0], [1.0, 10.0, 2.0])
    assert found == (2.0, 1.0, 3.0)
    assert str(found) == "2.00 [1.00-3.00]"


def test_a_worker_answers_and_whatever_a_library_prints_is_no_answer(bench) -> None:
    worker = bench("measuring").Worker(
        [
            "-c",
            "import measuring; measuring.answer_questions(lambda question: [print('noise' * 50_000), 2 * question][1])",
        ]
    )
    assert [worker.ask(3), worker.ask(4)] == [6, 8]
    worker.end()


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("import no_such_package", "No module named 'no_such_package'"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGILL)", f"exit code -{int(signal.SIGILL)}"),
    ],
)
def test_a_worker_that_dies_says_how(bench, program: str, reason: str) -> None:
    measuring = bench("measuring")
    worker = measuring.Worker(["-c", program])
    with pytest.raises(measuring.WorkerDiedError, match=reason):
        worker.ask(1)
    worker.end()


def test_an_engine_that_cannot_run_is_left_out_with_a_line(bench, monkeypatch, capsys) -> None:
    decoding = bench("decoding")
    programs = {
        "torch": "import measuring; measuring.answer_questions(lambda question: [0.1, question[1]])",
        "transformers": "import no_such_package",
    }
    monkeypatch.setattr(decoding, "start", lambda name, shape, threads: decoding.Worker(["-c", programs[name]]))
    workers = decoding.those_that_work(list(programs), "tiny", 1)
    assert list(workers) == ["torch"]
    assert "transformers is left out: ModuleNotFoundError" in capsys.readouterr().out
    workers["torch"].end()
    with pytest.raises(SystemExit, match="nothing is timed"):
        decoding.those_that_work(["transformers"], "tiny", 1)


def test_other_ids_than_the_plain_engines_are_not_timed(bench) -> None:
    decoding = bench("decoding")
    model, sources = decoding.make_model("tiny"), decoding.make_sources("tiny", 2)
    likely = [decoding.our_engine("torch", model, 1)([source], 1)[0] for source in sources]
    assert decoding.check("ct2", model, sources, likely, likely)["tokens"] == 1
    unlikely = [[*ids[:-1], (ids[-1] + 1) % 100 + 2] for ids in likely]
    with pytest.raises(SystemExit, match="is not timed"):
        decoding.check("ct2", model, sources, unlikely, likely)


def test_the_cost_of_a_step_leaves_out_what_comes_first(bench) -> None:
    costs = bench("growth").costs_of_a_step({20: [1.2], 40: [1.4], 80: [2.2]})
    assert list(costs) == ["21 to 40", "41 to 80"]
    assert [cost for (cost,) in costs.values()] == pytest.approx([10, 20])


def test_a_first_step_is_a_whole_line_of_metrics(bench, tmp_path: Path) -> None:
    has_stepped, metrics = bench("first_step").has_stepped, tmp_path / "metrics.jsonl"
    assert not has_stepped(metrics)
    metrics.write_text('{"event": "start", "step": 0}\n{"event": "train", "step": 1, "lo')
    assert not has_stepped(metrics)
    metrics.write_text('{"event": "train", "step": 1, "loss": 2.0}\n')
    assert has_stepped(metrics)


def written(path: Path, content: dict[str, object]) -> str:
    machine = {"processor": "a processor", "cores": 2, "threads": 2, "torch": "2.13.0"}
    path.write_text(json.dumps({"machine": machine, **content}))
    return str(path)


def test_the_chart_shows_who_ran_and_the_same_numbers_give_the_same_file(bench, monkeypatch, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    chart: ModuleType = bench("chart")
    engines = {name: {"rate": [1.0, 2.0]} for name in ("ours fp32", "torch fp32")}
    rates = {task: {"fast-int8": [3.0, 4.0], "ct2-int8-1x1": [2.0, 2.0]} for task in chart.TASKS}
    training = written(tmp_path / "t.json", {"shapes": {"tiny": {"engines": engines, "load": [1, 1, 1]}}})
    decoding = written(tmp_path / "d.json", {"shapes": {"tiny": {"rates": rates, "load": [1, 1, 2]}}})
    assert [(name, ratio.median) for name, _, ratio in chart.decoding_bars(rates["one, greedy"])] == [
        ("glassformer, int8", 1.75),
        ("CTranslate2, int8", 1.0),
    ]
    pictures = []
    for name in ("one", "other"):
        command = ["chart.py", "--training", training, "--decoding", decoding, "--out", str(tmp_path / name)]
        monkeypatch.setattr(sys, "argv", command)
        chart.main()
        pictures.append((tmp_path / f"{name}.svg").read_bytes())
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert pictures[0] == pictures[1]
