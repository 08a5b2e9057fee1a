"""The finished model in its run folder: weights, config.json, tokenizer, and what is known of the run.

Everything that it takes to use the model, and nothing that it takes to go on training it (see checkpoint.py). Its model
card is card.py's.
"""

import platform
import shutil
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors import torch as safetensors

from glassformer import __version__
from glassformer.nn import Transformer
from glassformer.run import Run, write_bytes, write_json
from glassformer.text.tokenizer import Tokenizer

VERSION = 1


def publish_model(run: Run, model: Transformer, tokenizer: Tokenizer, search: Mapping[str, Any]) -> None:
    """Write all that a translator needs. The weights come last: once they are there, so is the rest."""
    save_tokenizer(tokenizer, run.tokenizer_folder)
    languages = {"src": tokenizer.config.src_lang, "tgt": tokenizer.config.tgt_lang}
    write_json(
        run.config_json,
        {"version": VERSION, "languages": languages, "model": asdict(model.config), "search": dict(search)},
    )
    weights = {name: weight.cpu().contiguous() for name, weight in model.state_dict().items()}
    write_bytes(run.weights, safetensors.save(weights, metadata={"format": "pt"}))


def save_tokenizer(tokenizer: Tokenizer, folder: Path) -> None:
    """Write the tokenizer's folder, whole or not at all."""
    aside, old = folder.with_name(f".{folder.name}.part"), folder.with_name(f".{folder.name}.old")
    for leftover in (aside, old):
        shutil.rmtree(leftover, ignore_errors=True)
    tokenizer.save(aside)
    if folder.exists():
        folder.replace(old)
    aside.replace(folder)
    shutil.rmtree(old, ignore_errors=True)


def machine_facts() -> dict[str, Any]:
    """The versions that a run depends on."""
    return {
        "glassformer": __version__,
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "system": f"{platform.system()} {platform.machine()}",
    }
