"""`glassformer import`: a Marian folder becomes a run that the other commands use."""

import json
from pathlib import Path

import pytest

from glassformer import cli
from glassformer.text.marian_tokenizer import MarianTokenizer
from glassformer.translation import Translator

from ..interop.marian_models import CODE, save_marian, sentences


def call(capfd: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = cli.run([*map(str, words)])
    return code, *capfd.readouterr()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "opus-mt-en-hi"
    save_marian(folder)
    return folder


def test_an_imported_model_translates_is_evaluated_explained_and_exported(
    model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "runs" / "opus"
    code, out, err = call(capfd, "import", model, "--out", run)
    assert (code, err) == (0, "")
    assert out.startswith("en-hi, ")
    assert "beam 4, in " in out
    assert sorted(path.name for path in run.parent.iterdir()) == ["opus"]
    texts = sentences("english", 6)
    code, out, err = call(capfd, "translate", run, *texts)
    assert (code, len(out.splitlines())) == (0, 6)
    assert len(set(out.splitlines())) > 1

    for name, side in (("src", "english"), ("ref", "hindi")):
        (tmp_path / name).write_text("".join(f"{text}\n" for text in sentences(side, 6)), encoding="utf-8")
    code, out, _ = call(capfd, "evaluate", run, "--src", tmp_path / "src", "--ref", tmp_path / "ref", "--json")
    assert code == 0
    assert json.loads(out)["all"]["sentences"] == 6

    translation = Translator.load(run).explain(texts[0])
    assert set(translation.attention) >= {"encoder.1.self", "decoder.2.cross"}
    assert translation.search is not None
    assert translation.target_tokens[-1] == "</s>"
    assert call(capfd, "export", run, "--to", "marian", "--out", tmp_path / "back")[0] == 0
    for name in ("source.spm", "target.spm"):
        assert (tmp_path / "back" / name).read_bytes() == (model / name).read_bytes()
    assert json.loads((tmp_path / "back" / "vocab.json").read_text()) == json.loads((model / "vocab.json").read_text())
    code, out, _ = call(capfd, "push", run, "me/opus", "--dry-run")
    assert code == 0
    assert "tokenizer/source.spm" in out


def test_an_imported_tokenizer_cannot_be_trained_with(
    model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert call(capfd, "import", model, "--out", tmp_path / "run")[0] == 0
    (tmp_path / "pairs.tsv").write_text("a\tb\n" * 30)
    words = ("--pairs", tmp_path / "pairs.tsv", "--src-lang", "en", "--tgt-lang", "hi", "--hold-out", "2")
    code, _, err = call(
        capfd, "prepare", *words, "--tokenizer", tmp_path / "run" / "tokenizer", "--out", tmp_path / "data"
    )
    assert code == 2
    assert "was imported" in err


def test_a_model_of_several_languages_says_how_to_choose_one_and_a_prefix_chooses_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    save_marian(tmp_path / "model", multilingual=True, taught=False)
    code, _, err = call(capfd, "import", tmp_path / "model", "--out", tmp_path / "a")
    assert code == 0
    assert "it has >>hin<<, >>mar<<. Or import it with --prefix '>>hin<<'" in err
    code, _, err = call(capfd, "import", tmp_path / "model", "--out", tmp_path / "b", "--prefix", CODE)
    assert (code, err) == (0, "")
    translator = Translator.load(tmp_path / "b")
    assert isinstance(translator.tokenizer, MarianTokenizer)
    # A text that is too long to read at once is cut, and each piece begins with the language.
    pieces = translator._pieces_of("They are talking to her. " * 30)
    assert len(pieces) > 1
    assert {ids[0] for ids in pieces} == {translator.tokenizer.encode_source(CODE)[0]}


def test_a_folder_that_is_taken_is_left_alone_and_one_that_is_no_model_leaves_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "mine").touch()
    for model, out, message in (
        (tmp_path, tmp_path / "taken", "choose another --out"),
        (tmp_path / "taken", tmp_path / "new", "config.json cannot be read"),
        (tmp_path / "no such folder", tmp_path / "new", "does not exist"),
    ):
        code, said, err = call(capfd, "import", model, "--out", out)
        assert (code, said, err.count("\n")) == (2, "", 1)
        assert message in err
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
