"""CTranslate2 as an engine finds what our own engine finds; what it cannot do it refuses."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from glassformer import cli
from glassformer.interop import ctranslate2 as subject
from glassformer.interop.ctranslate2 import CACHE, CTranslate2Engine, nearest_search, open_engine
from glassformer.interop.ctranslate2_model import CTranslate2Error
from glassformer.run import Run, default_run
from glassformer.translation import Engine, Translator
from glassformer.translation.config import SearchConfig
from glassformer.translation.engine import TorchEngine

from .marian_models import sentences
from .preset_runs import PRESETS, TEXTS, write_run

COUNTED = SearchConfig(penalty="power", stopping="count")
SEARCHES: dict[str, dict[str, Any]] = {
    "beam": {},
    "n best": {"alpha": 1.0, "n_best": 4},
    "no penalty": {"alpha": 0.0, "n_best": 3},
    "greedy": {"beam_width": 1, "penalty": "gnmt", "stopping": "bound"},
    "cut short": {"max_length": 6},
}
TIE = 1e-3  # it does not count the chances of pad and bos


@pytest.fixture(scope="module")
def packaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model in the package, a trained one, and not a run that may lie where the tests are started."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("elsewhere"))
        return default_run()


@pytest.fixture(scope="module")
def demo(packaged: Path) -> tuple[Translator, CTranslate2Engine]:
    translator = Translator.load(packaged, device="cpu")
    return translator, open_engine(Run(packaged), translator.model, threads=1)


@pytest.mark.parametrize("search", SEARCHES)
def test_it_finds_what_torch_finds(demo: tuple[Translator, CTranslate2Engine], search: str) -> None:
    translator, engine = demo
    assert isinstance(engine, Engine)
    config = replace(COUNTED, **SEARCHES[search])
    sources = [translator.tokenizer.encode_source(text) for text in sentences("english", 60)]
    expected, found = TorchEngine(translator.model).search(sources, config), engine.search(sources, config)
    n_ties = 0
    for ours, theirs in zip(expected, found, strict=True):
        for mine, other in zip(ours, theirs, strict=True):
            n_ties += mine.ids != other.ids
            # Without a penalty the score is the sum itself.
            assert other.score == pytest.approx(mine.score, abs=TIE if config.alpha else 10 * TIE)
            assert other.logprob == pytest.approx(mine.logprob, abs=10 * TIE)
            if mine.ids == other.ids:
                assert other.logprob > mine.logprob - TIE / 10  # fewer share the chances: each can only get more
    assert n_ties <= 2
    assert len({len(best[0].ids) for best in found}) > 1 or config.max_length == 6


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_is_translated_the_same(tmp_path: Path, preset: str) -> None:
    run = write_run(tmp_path / "run", preset)
    translator = Translator.load(run, device="cpu")
    expected = [translation.text for translation in translator.translate_all(TEXTS, COUNTED)]
    translator.engine = open_engine(Run(run), translator.model, threads=1)
    assert [translation.text for translation in translator.translate_all(TEXTS, COUNTED)] == expected


def test_no_sources_give_no_hypotheses(demo: tuple[Translator, CTranslate2Engine]) -> None:
    assert demo[1].search([], COUNTED) == []


def test_a_run_is_converted_once_and_anew_when_its_weights_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(write_run(tmp_path / "run", "marian"))
    model = Translator.load(run.folder, device="cpu").model
    n_made = []
    convert = subject.convert
    monkeypatch.setattr(subject, "convert", lambda *parts: (n_made.append(1), convert(*parts)))
    for _ in range(2):
        open_engine(run, model)
    assert len(n_made) == 1
    (first,) = (run.folder / CACHE).iterdir()
    shutil.copytree(write_run(tmp_path / "other", "vanilla-2017"), run.folder, dirs_exist_ok=True)
    open_engine(run, Translator.load(run.folder, device="cpu").model)
    (second,) = (run.folder / CACHE).iterdir()
    assert (len(n_made), first == second) == (2, False)


def test_a_conversion_that_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(write_run(tmp_path / "run", "marian"))

    def fail(model: object, folder: Path) -> None:
        (folder / "model.bin").write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(subject, "convert", fail)
    with pytest.raises(KeyboardInterrupt):
        open_engine(run, Translator.load(run.folder, device="cpu").model)
    assert list((run.folder / CACHE).iterdir()) == []


def test_the_model_in_the_package_gets_no_cache(packaged: Path, demo: tuple[Translator, CTranslate2Engine]) -> None:
    assert not (packaged / CACHE).exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"penalty": "gnmt"}, "use --penalty power"),
        ({"stopping": "bound"}, "use --stopping count"),
        ({"temperature": 1.0}, "draws other tokens"),
        ({"min_length": 4}, "leave out --min-length"),
    ],
)
def test_a_search_that_it_does_not_have_is_refused(
    demo: tuple[Translator, CTranslate2Engine], changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(CTranslate2Error, match=message):
        demo[1].search([[5, 3]], replace(COUNTED, **changes))


def test_the_nearest_search_is_one_that_it_has() -> None:
    assert nearest_search(SearchConfig(alpha=0.7)) == replace(COUNTED, alpha=0.7)


def test_translate_with_the_engine_prints_what_torch_prints_and_says_what_differs(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run = str(write_run(tmp_path / "run", "modern"))
    assert cli.run(["translate", run, *TEXTS, "--penalty", "power", "--stopping", "count"]) == 0
    expected, _ = capfd.readouterr()
    assert cli.run(["translate", run, *TEXTS, "--engine", "ctranslate2"]) == 0
    out, err = capfd.readouterr()
    assert out == expected
    assert "note: CTranslate2 searches in its own way: penalty power instead of gnmt, stopping count" in err
    assert cli.run(["translate", run, "pizza", "--engine", "ctranslate2", "--penalty", "gnmt"]) == 2
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "use --penalty power, or --engine torch" in err
