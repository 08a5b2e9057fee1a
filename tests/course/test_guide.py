"""Every command and every piece of Python that the guide and the README show is run; of output, nothing is compared."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from glassformer.cli import COMMANDS

ROOT = Path(__file__).parents[2]
# In the order of the book: a page goes on with what the ones before it left.
GUIDE = [
    ROOT / "docs" / "guide" / f"{name}.md"
    for name in (
        "install",
        "first-translator",
        "your-own-data",
        "reading-nn",
        "resume-and-many-machines",
        "exploring",
        "serving",
        "engines",
    )
]
DOCUMENTS = [*GUIDE, ROOT / "docs" / "translation-json.md", ROOT / "README.md"]

# Commands that no test can run, and why. A command that is not there any more must leave this list too.
NOT_RUN = {
    "make demo": "installs into a new environment, which .ci/run does; then it runs `glassformer demo`, as does this",
    "make test": "runs this test",
    "python3 -m venv .venv": "installs: .ci/run does",
    ".venv/bin/pip install -c constraints.txt torch": "installs: .ci/run does",
    ".venv/bin/pip install -c constraints.txt -e .": "installs: .ci/run does",
    "torchrun --nnodes 2": "needs two machines",
    "glassformer import Helsinki-NLP/opus-mt-en-hi": "needs a network",
    "make explore": "opens a browser: tests/explorer does without one",
    "glassformer explore": "serves until it is stopped: tests/explorer does",
    "glassformer serve": "serves until it is stopped: tests/server does",
    "curl http://127.0.0.1:5000": "asks that server: tests/server/test_clients.py does",
}

# What is made smaller, so that minutes become seconds: (what the page says, what is run).
SMALLER = [
    (r"^glassformer demo$", "glassformer demo --max-seconds 1"),
    (r"--vocab-size 2500", "--vocab-size 600"),
    (r"--training\.max-steps (\d+)00", r"--training.max-steps \1"),
    (r"^max_steps = 1000", "max_steps = 4"),
    (r"^(validate|checkpoint)_every = 250", r"\1_every = 2"),
    (r"^d_model = 128", "d_model = 32"),
]
PAIRS = {"train": 1500, "valid": 30, "test": 30}  # of the corpus that a page writes, so many are kept


class Block(NamedTuple):
    """A fenced block of a page."""

    page: Path
    language: str
    text: str


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return [Block(page, language, text) for language, text in found]


def commands(block: Block) -> list[str]:
    """The commands in a block, continued lines joined; none if it shows something else."""
    text = block.text.replace("\\\n", " ")
    if block.language == "console":
        return [line.removeprefix("$ ") for line in text.splitlines() if line.startswith("$ ")]
    if block.language == "sh" or (block.language == "" and re.match(r"(make|glassformer) ", text)):
        return text.strip().splitlines()
    return []


def reason_not_to_run(command: str) -> str:
    return next((reason for start, reason in NOT_RUN.items() if command.startswith(start)), "")


def smaller(text: str) -> str:
    for said, run in SMALLER:
        text = re.sub(said, run, text, flags=re.MULTILINE)
    return text


def test_every_block_has_a_language_that_this_file_knows() -> None:
    for page in GUIDE:
        assert {block.language for block in blocks(page)} <= {"sh", "python", "toml", "text"}, page.name
    assert sorted(GUIDE) == sorted((ROOT / "docs" / "guide").glob("*.md"))


def test_what_is_not_run_is_still_there_and_what_is_made_smaller_too() -> None:
    shown = [command for page in DOCUMENTS for block in blocks(page) for command in commands(block)]
    for start in NOT_RUN:
        assert any(command.startswith(start) for command in shown), start
    everything = "\n".join([*shown, *(block.text for page in GUIDE for block in blocks(page))])
    for said, _ in SMALLER:
        assert re.search(said, everything, flags=re.MULTILINE), said


def test_every_command_that_is_named_in_a_sentence_exists() -> None:
    for page in DOCUMENTS:
        prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        for name in re.findall(r"`glassformer ([a-z-]+)", prose):
            assert name in COMMANDS, f"{page.name}: glassformer {name}"


def test_the_python_in_the_readmes_sentences_runs() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = [block for block in blocks(ROOT / "README.md") if block.language == "python"]
    names: dict[str, object] = {}
    exec(block.text + "\nfrom glassformer.nn import Edits", names)
    inline = re.findall(r"`((?:model|ModelConfig\.preset)\([^`]*\))`", readme)
    assert len(inline) >= 2
    for snippet in inline:
        eval(snippet, names)


def test_the_links_between_the_pages_of_the_guide_lead_somewhere() -> None:
    for page in GUIDE:
        for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
            assert "://" in target or (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.slow
def test_everything_the_guide_shows_runs_from_its_first_page_to_its_last(tmp_path: Path) -> None:
    for page in [*GUIDE, ROOT / "docs" / "translation-json.md"]:
        for block in blocks(page):
            follow(block, tmp_path)
    (said,) = re.findall(r"`(Translator\.load\([^`]*\))`", (ROOT / "README.md").read_text(encoding="utf-8"))
    done = run(tmp_path, [sys.executable, "-c", f"from glassformer.translation import Translator\n{said}"])
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "page.html").stat().st_size > 10_000
    assert len((tmp_path / "test.out").read_text(encoding="utf-8").splitlines()) == PAIRS["test"]
    assert (tmp_path / "runs" / "two" / "model.safetensors").exists()


def follow(block: Block, folder: Path) -> None:
    """Do what a reader of this block does."""
    if block.language == "toml":
        (folder / block.text.splitlines()[0].removeprefix("# ")).write_text(smaller(block.text), encoding="utf-8")
    elif block.language == "python":
        done = run(folder, [sys.executable, "-c", block.text])
        assert done.returncode == 0, f"{block.page.name}:\n{block.text}\n{done.stderr}"
        for name, n_pairs in PAIRS.items() if "demo_corpus" in block.text else ():
            for path in folder.glob(f"{name}.??"):
                lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
                path.write_text("".join(lines[:n_pairs]), encoding="utf-8")
    for command in commands(block):
        if not reason_not_to_run(command):
            done = run(folder, ["bash", "-euo", "pipefail", "-c", smaller(command)])
            assert done.returncode == 0, f"{block.page.name}: {smaller(command)}\n{done.stderr}"


def run(folder: Path, command: list[str]) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "OMP_NUM_THREADS": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
