"""A run's model in a folder for another engine, with all that the engine needs to translate text, and a README.

What each engine's files are is its own file's business (marian_export.py, ctranslate2_model.py, onnx.py,
torch_export.py).
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from glassformer.errors import GlassformerError
from glassformer.nn import Transformer
from glassformer.run import Run
from glassformer.text.tokenizer import Tokenizer
from glassformer.translation.config import SearchConfig
from glassformer.translation.loading import load_model, read_search_config

from .readme import ctranslate2_readme, graphs_readme, marian_readme
from .text_files import source_tokens, target_tokens, write_ids, write_text_files


class ExportError(GlassformerError):
    """A folder cannot be written to."""


class Parts(NamedTuple):
    """What is exported of a run."""

    name: str
    model: Transformer
    tokenizer: Tokenizer
    search: SearchConfig


def read_parts(run: Run) -> Parts:
    """The model of a run with its tokenizer."""
    name = run.folder.resolve().name
    return Parts(name, load_model(run, "cpu"), Tokenizer.load(run.tokenizer_folder), read_search_config(run))


def export_marian(parts: Parts, folder: Path) -> str:
    """For transformers, and whatever else reads Marian models."""
    from .marian_export import write_marian

    write_marian(parts.model, parts.tokenizer, parts.search, folder)
    return marian_readme(parts.name, parts.tokenizer, parts.search)


def export_ctranslate2(parts: Parts, folder: Path) -> str:
    """For CTranslate2, with pieces for tokens."""
    from .ctranslate2_model import write_ctranslate2

    source, target = source_tokens(parts.tokenizer), target_tokens(parts.tokenizer)
    write_ctranslate2(parts.model, folder, source, target, unk=target[parts.tokenizer.unk_id])
    for name, content in zip(("source.spm", "target.spm"), parts.tokenizer.sentencepiece_models, strict=True):
        (folder / name).write_bytes(content)
    return ctranslate2_readme(parts.name, parts.tokenizer, parts.model.config, parts.search)


def export_onnx(parts: Parts, folder: Path) -> str:
    """For ONNX Runtime."""
    from .onnx import write_onnx

    write_onnx(parts.model, folder)
    write_ids(parts.model.config, folder / "ids.json")
    write_text_files(parts.tokenizer, folder)
    return graphs_readme(parts.name, parts.tokenizer, parts.model.config, "onnx")


def export_torch(parts: Parts, folder: Path) -> str:
    """For torch alone."""
    from .torch_export import write_torch_export

    write_torch_export(parts.model, folder)
    write_ids(parts.model.config, folder / "ids.json")
    write_text_files(parts.tokenizer, folder)
    return graphs_readme(parts.name, parts.tokenizer, parts.model.config, "torch-export")


TARGETS: dict[str, Callable[[Parts, Path], str]] = {
    "marian": export_marian,
    "ctranslate2": export_ctranslate2,
    "onnx": export_onnx,
    "torch-export": export_torch,
}


def export_run(run: Run, target: str, out: Path) -> None:
    """Write the folder, whole or not at all: aside first, then under its name."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ExportError(f"{out} is there already, and not an empty folder: choose another --out, or remove it")
    parts = read_parts(run)
    aside = out.with_name(f".{out.name}.part")
    shutil.rmtree(aside, ignore_errors=True)
    try:
        aside.mkdir(parents=True)
        readme = TARGETS[target](parts, aside)
        (aside / "README.md").write_text(readme, encoding="utf-8")
        if out.exists():
            out.rmdir()
        aside.replace(out)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
