"""The model as one file: nothing lost, nothing changed in meaning, and the same logits as the library."""

import ast
import subprocess
import sys
from pathlib import Path
from typing import Protocol

import pytest
import torch

from glassformer import nn
from glassformer.cli.single_file import READING_ORDER, join_modules
from glassformer.errors import SingleFileError
from glassformer.nn import ModelConfig, Transformer

NN = Path(nn.__file__ or "").parent
SMALL = {"d_model": 24, "n_heads": 3, "d_ff": 40, "n_encoder_layers": 2, "n_decoder_layers": 1, "max_length": 32}
PRESETS = ("vanilla-2017", "vanilla-2017-big", "marian", "modern")


class Run(Protocol):
    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]: ...


@pytest.fixture
def sources() -> dict[str, str]:
    """Two modules, the second of which the first needs."""
    return {
        "__init__": '"""What it is.\n\n    B  batch\n"""\n',
        "top": '"""The top.\n\nMore of it."""\n\nimport math\n\nfrom torch import Tensor, nn\n\n'
        "from .base import base\n\n\ndef top(x: Tensor) -> float:\n    return base(x) + math.pi  # why\n\n\n"
        "class Top(nn.Module):\n    pass\n",
        "base": '"""The base."""\n\nimport math\n\nfrom torch import Tensor\n\n# a reason\nSCALE = math.e\n\n\n'
        "def base(x: Tensor) -> float:\n    return SCALE * x.item()\n",
    }


@pytest.fixture
def transformer_py(glassformer: Run, tmp_path: Path) -> Path:
    """The file itself, as a user makes it."""
    path = tmp_path / "transformer.py"
    path.write_text(glassformer("single-file").stdout, encoding="utf-8")
    return path


def test_a_module_comes_after_the_modules_it_needs(sources: dict[str, str]) -> None:
    joined = join_modules(sources, ("top", "base"))
    assert joined.index("def base") < joined.index("def top")


def test_imports_are_merged_and_relative_ones_dropped(sources: dict[str, str]) -> None:
    joined = join_modules(sources, ("top", "base"))
    assert joined.count("import math") == 1
    assert joined.count("from torch import Tensor, nn\n") == 1
    assert "from ." not in joined


def test_docstrings_become_banners_and_comments_stay(sources: dict[str, str]) -> None:
    joined = join_modules(sources, ("top", "base"))
    assert "# top.py\n#\n# The top.\n#\n# More of it.\n# ---" in joined
    assert "\n\n# a reason\nSCALE = math.e\n" in joined
    assert "return base(x) + math.pi  # why\n" in joined
    assert joined.startswith('"""What it is.\n\n    B  batch\n"""\n')


@pytest.mark.parametrize(
    ("addition", "words"),
    [
        ("\n\ndef base() -> None: ...\n", "'base' would mean both base of nn/base.py and base of nn/top.py"),
        ("\n\nSCALE: int = 3\n", "'SCALE' would mean both SCALE of nn/base.py and SCALE of nn/top.py"),
        ("\n\nif True:\n    SCALE = 3\n", "'SCALE' would mean both"),
        ("\n\nimport cmath as math\n", "'math' would mean both math and cmath"),
        ("\n\ndef max() -> None: ...\n", "'max' would mean both the builtin max and max of nn/top.py"),
        (
            "\n\ndef late() -> None:\n    from .base import base\n",
            "nn/top.py, line 21: 'from .base import base' would mean nothing",
        ),
        ("\n\nfrom .base import SCALE as FACTOR\n", "'from .base import SCALE as FACTOR' would mean nothing"),
        ("\n\nfrom . import base\n", "'from . import base' would mean nothing"),
    ],
)
def test_what_would_change_its_meaning_is_refused(sources: dict[str, str], addition: str, words: str) -> None:
    sources["top"] += addition
    with pytest.raises(SingleFileError) as caught:
        join_modules(sources, ("top", "base"))
    assert words in str(caught.value)


def test_a_module_missing_from_the_order_is_named(sources: dict[str, str]) -> None:
    with pytest.raises(SingleFileError, match="not in the order: base; not in nn/: gone"):
        join_modules(sources, ("top", "gone"))


def test_modules_that_import_each_other_are_refused(sources: dict[str, str]) -> None:
    sources["base"] += "\n\nfrom .top import top\n"
    with pytest.raises(SingleFileError, match="top -> base -> top"):
        join_modules(sources, ("top", "base"))


def test_every_statement_of_every_module_is_in_the_file_word_for_word(transformer_py: Path) -> None:
    joined = transformer_py.read_text(encoding="utf-8")
    for name in READING_ORDER:
        source = (NN / f"{name}.py").read_text(encoding="utf-8")
        for node in ast.parse(source).body[1:]:
            if not isinstance(node, ast.Import | ast.ImportFrom):
                assert (ast.get_source_segment(source, node) or "?") in joined, f"{name}.py, line {node.lineno}"


def test_every_comment_of_every_module_is_in_the_file(transformer_py: Path) -> None:
    joined = transformer_py.read_text(encoding="utf-8")
    comments = [
        line
        for name in READING_ORDER
        for line in (NN / f"{name}.py").read_text(encoding="utf-8").splitlines()
        if line.lstrip().startswith("#")
    ]
    assert len(comments) > 10
    for comment in comments:
        assert comment in joined


def test_the_file_is_clean_for_ruff(transformer_py: Path) -> None:
    options = ["--isolated", "--line-length", "120", str(transformer_py)]
    # F402: a loop may shadow an import that only another module uses; harmless, since the loop's name is local.
    lint = [sys.executable, "-m", "ruff", "check", "--select", "E4,E7,E9,F,I,UP", "--ignore", "F402", *options]
    form = [sys.executable, "-m", "ruff", "format", "--check", *options]
    for command in (lint, form):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


def test_run_as_a_program_it_builds_a_model(transformer_py: Path) -> None:
    done = subprocess.run([sys.executable, str(transformer_py)], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("parameters, logits of shape [1, 3, 1000]\n")


def test_it_needs_no_glassformer_and_gives_the_librarys_logits(transformer_py: Path, tmp_path: Path) -> None:
    expected = {}
    src = torch.tensor([[5, 9, 4, 3, 0, 0], [7, 4, 8, 10, 6, 3]])  # [B, S]
    tgt_in = torch.tensor([[2, 5, 9, 4, 0], [2, 7, 4, 8, 10]])  # [B, T]
    for preset in PRESETS:
        torch.manual_seed(7)
        model = Transformer(ModelConfig.preset(preset, vocab_size=11, **SMALL)).eval()
        with torch.no_grad():
            expected[preset] = {"weights": model.state_dict(), "logits": model(src, tgt_in)}
    torch.save({"expected": expected, "src": src, "tgt_in": tgt_in, "small": SMALL}, tmp_path / "expected.pt")
    code = """
import sys
sys.modules["glassformer"] = None  # whoever imports it now fails
import torch
from transformer import ModelConfig, Transformer
saved = torch.load("expected.pt")
for preset, expected in saved["expected"].items():
    model = Transformer(ModelConfig.preset(preset, vocab_size=11, **saved["small"])).eval()
    model.load_state_dict(expected["weights"])
    torch.testing.assert_close(model(saved["src"], saved["tgt_in"]), expected["logits"], rtol=0, atol=1e-6)
    print(preset)
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == list(PRESETS)
