"""Who may import whom, held against the code; and `nn` alone, in an empty folder."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import glassformer

PACKAGE = Path(glassformer.__file__).parent

# What each part of the package may import of the others; docs/architecture.md says why.
MAY_IMPORT: dict[str, set[str]] = {
    "nn": set(),
    "errors": set(),
    "run": {"errors"},
    "text": {"errors"},
    "metrics": {"errors"},
    "page": {"errors"},
    "machine": {"errors"},
    "data": {"text", "errors"},
    "training": {"nn", "fast", "data", "text", "machine", "run", "errors"},
    "translation": {"nn", "text", "page", "run", "errors"},
    "config": {"nn", "text", "data", "training", "translation", "errors"},
    "fast": {"nn", "translation", "machine", "errors"},
    "interop": {"nn", "text", "translation", "run", "errors"},
    "server": {"translation", "page", "text", "nn", "run", "errors"},
    "course": {"nn", "run", "errors"},
    "stages": {"course", "nn", "text", "data", "training", "translation", "metrics", "errors"},
}
MAY_IMPORT["cli"] = set(MAY_IMPORT)
WITHOUT_TORCH = {"errors", "run", "text", "metrics", "page", "config"}


def part_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).parts
    # A stage's check may use more of the product than the course that runs it.
    return "stages" if parts[:2] == ("course", "stages") else parts[0].removesuffix(".py")


def imports_of(path: Path) -> list[tuple[int, str, str]]:
    """Each import as (line, part of glassformer or '', top-level package)."""
    inside = list(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[list[str]] = []
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = inside[: len(inside) - node.level] if node.level else []
            module = base + (node.module.split(".") if node.module else [])
            names = [[*module, alias.name] for alias in node.names] if len(module) == 1 else [module]
        for name in names:
            # `__version__` belongs to the package itself, which imports nothing.
            part = name[1] if name[0] == "glassformer" and len(name) > 1 and name[1] != "__version__" else ""
            found.append((node.lineno, part, name[0]))
    return found


SOURCES = sorted(
    path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE or path.stem not in ("__init__", "__main__")
)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_file_imports_only_what_its_part_may(path: Path) -> None:
    part = part_of(path)
    assert part in MAY_IMPORT, f"{part} is a new part: say in MAY_IMPORT and docs/architecture.md what it may import"
    for line, other, top in imports_of(path):
        assert other in {"", part, *MAY_IMPORT[part]}, f"{path}:{line} imports {other}"
        if part in WITHOUT_TORCH:
            assert top != "torch", f"{path}:{line} imports torch"
        if part == "nn":
            assert top in {"torch", "glassformer"} | sys.stdlib_module_names, f"{path}:{line} imports {top}"


@pytest.mark.parametrize("path", sorted((PACKAGE / "nn").glob("*.py")), ids=lambda path: path.name)
def test_nn_refers_to_itself_relatively_so_that_it_can_be_copied_out(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            assert (node.module or "").split(".")[0] != "glassformer"


def test_no_file_of_nn_has_the_name_of_an_export() -> None:
    from glassformer import nn

    assert {path.stem for path in (PACKAGE / "nn").glob("*.py")}.isdisjoint(nn.__all__)


def test_every_export_of_nn_is_listed_once_and_is_there() -> None:
    from glassformer import nn

    assert sorted(nn.__all__) == sorted(nn._HOME)
    for name in nn.__all__:
        assert getattr(nn, name).__name__ == name


def test_nn_copied_alone_into_an_empty_folder_imports_and_runs(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE / "nn", tmp_path / "lifted_out", ignore=shutil.ignore_patterns("__pycache__"))
    program = (
        "import sys, torch\n"
        "from lifted_out import ModelConfig, Transformer, Trace\n"
        "model = Transformer(ModelConfig.preset('modern', vocab_size=50, d_model=16, n_heads=2, d_ff=32))\n"
        "trace = Trace()\n"
        "print(list(model(torch.tensor([[5, 6, 3]]), torch.tensor([[2, 7]]), trace=trace).shape))\n"
    )
    refuse = "import sys; sys.modules['glassformer'] = None; sys.path.insert(0, '.')\n"
    program = refuse + program
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[1, 2, 50]"


def test_a_trainer_imports_nothing_that_translates() -> None:
    # training may import what fast/ compiled for it; fast/'s engines import translation.
    code = "import sys, glassformer.training.trainer; print([name for name in sys.modules if 'translation' in name])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
