"""A run folder from elsewhere may be anything: one line, exit 2, and never much memory."""

import gzip
import json
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from glassformer import cli

from ..interop.little_memory import little_memory
from ..translation.tiny_run import make_run


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("runs") / "tiny")


def change_model(run: Path, **changes: object) -> None:
    parts = json.loads((run / "config.json").read_text())
    parts["model"] |= changes
    (run / "config.json").write_text(json.dumps(parts))


def replace_tokenizer_file(run: Path, name: str, content: bytes) -> None:
    """With a hash that says that all is well."""
    folder = run / "tokenizer"
    (folder / name).write_bytes(content)
    settings = json.loads((folder / "tokenizer.json").read_text())
    settings["sha256"][name] = sha256(content).hexdigest()
    (folder / "tokenizer.json").write_text(json.dumps(settings))


def half_an_spm(run: Path) -> None:
    content = (run / "tokenizer" / "shared.model").read_bytes()
    replace_tokenizer_file(run, "shared.model", content[: len(content) // 2 + 1])


def call_it_marian(run: Path) -> None:
    path = run / "tokenizer" / "tokenizer.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "kind": "marian"}))


HARM: dict[str, tuple[Callable[[Path], object], str]] = {
    "ten billion layers": (lambda run: change_model(run, n_decoder_layers=10**10), "too few for the layers"),
    "no place for a token": (lambda run: change_model(run, max_length=1), "max_length is 1: it cannot read one token"),
    "a hundred million places": (lambda run: change_model(run, max_length=10**8), "max_length is 100000000, above"),
    "a pickle": (lambda run: (run / "model.safetensors").write_bytes(b"\x80\x04."), "not a whole safetensors file"),
    "half an spm file": (half_an_spm, "holds no tokenizer that works"),
    "no gzip": (lambda run: replace_tokenizer_file(run, "words.txt.gz", b"words"), "holds no tokenizer that works"),
    "a tokenizer of another kind": (call_it_marian, "is no description of a tokenizer"),
}


@pytest.mark.parametrize("harm", HARM)
def test_a_run_that_is_damaged_or_means_harm_is_refused_in_one_line(
    whole: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], harm: str
) -> None:
    run = Path(shutil.copytree(whole, tmp_path / "run"))
    do, message = HARM[harm]
    do(run)
    with little_memory():
        assert cli.run(["translate", str(run), "I like pizza."]) == 2
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1), err
    assert message in err


def test_a_small_file_that_unpacks_to_gigabytes_is_not_unpacked(whole: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(whole, tmp_path / "run"))
    bomb = gzip.compress(b"\0" * 2**20) * 6000  # six gigabytes
    replace_tokenizer_file(run, "words.txt.gz", bomb)
    with little_memory():
        assert cli.run(["translate", str(run), "I like pizza."]) == 0
