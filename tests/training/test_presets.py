"""The presets in configs/: each can be read, and says at its top how it is used. What it says is run, in small."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from glassformer.config import RunConfig, read_settings
from glassformer.data.demo.corpus import demo_corpus

# Two steps of a tiny model in place of an hour: everything else in the commands is as it stands.
IN_SMALL = "--text.vocab-size 300 --model.d-model 16 --training.max-steps 2 --training.decay-steps 2"
SHIMS = {
    "glassformer": f"""#!/bin/sh
case $1 in
    train) exec {sys.executable} -m glassformer "$@" {IN_SMALL} ;;
    *) exec {sys.executable} -m glassformer "$@" ;;
esac
""",
    "torchrun": f"""#!/bin/sh
exec {sys.executable} -m torch.distributed.run "$@" {IN_SMALL}
""",
}
PRESETS = sorted((Path(__file__).parents[2] / "configs").glob("*.toml"))


def test_there_are_presets() -> None:
    assert PRESETS


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.stem)
def test_a_preset_can_be_read_and_opens_with_its_commands(path: Path) -> None:
    RunConfig.gather(read_settings(path))
    header = path.read_text(encoding="utf-8").split("\n[", 1)[0]
    assert all(line.startswith("#") or not line for line in header.splitlines())
    assert f"glassformer train configs/{path.name}" in header
    assert f"glassformer evaluate runs/{path.stem} " in header
    assert "Hardware, time and score: " in header


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="the commands are a shell's")
@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.stem)
def test_the_commands_of_a_preset_do_what_they_say(path: Path, tmp_path: Path) -> None:
    lines = [line[4:] for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#   ")]
    assert lines[0].startswith("D=path/to/")
    data, configs, programs = tmp_path / "data", tmp_path / "configs", tmp_path / "bin"
    for folder in (data, configs, programs):
        folder.mkdir()
    for name, text in SHIMS.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    (configs / path.name).write_bytes(path.read_bytes())
    for number, name in enumerate(("train", "val", "dev", "test", "test2016")):
        pairs = demo_corpus().train[number * 200 : (number + 1) * 200]
        english, hindi = [pair.english for pair in pairs], [pair.hindi for pair in pairs]
        backwards = [" ".join(reversed(text.split())) for text in english]  # German enough: it is Latin
        for ending, texts in {"en": english, "hi": hindi, "de": backwards}.items():
            (data / f"{name}.{ending}").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "OMP_NUM_THREADS": "1"}
    script = "\n".join(["set -e", f"D={data}", *lines[1:]])
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "BLEU" in done.stdout.splitlines()[-2]
    assert "chrF++" in done.stdout.splitlines()[-1]
