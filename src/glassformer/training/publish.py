"""The finished model in its run folder: weights, config.json, tokenizer, model card, and what is known of the run.

Everything that it takes to use the model, and nothing that it takes to go on training it (see checkpoint.py).
"""

import platform
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors import torch as safetensors

from glassformer import __version__
from glassformer.nn import Transformer
from glassformer.run import Run, write_bytes, write_json, write_text
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


def write_card(run: Run, model: Transformer, tokenizer: Tokenizer, record: Mapping[str, Any]) -> None:
    """Write the model card: what the model is, how good, and how to use it. `record` is what run.json holds."""
    text, config = tokenizer.config, model.config
    n_parameters = sum(parameter.numel() for parameter in model.parameters())
    training, data = record["training"], record["data"]
    name = run.folder.resolve().name
    lines = [
        "---",
        f"language: [{text.src_lang}, {text.tgt_lang}]",
        "library_name: glassformer",
        "pipeline_tag: translation",
        "---",
        "",
        f"# {name}: {text.src_lang} to {text.tgt_lang}",
        "",
        f"A Transformer that translates {text.src_lang} into {text.tgt_lang}, trained with glassformer {__version__}.",
        "",
        "```",
        f'glassformer translate {name} "..."',
        "```",
        "",
        f"- {n_parameters:,} parameters: {config.n_encoder_layers} encoder and {config.n_decoder_layers} decoder "
        f"layers, d_model {config.d_model}, {config.n_heads} heads, d_ff {config.d_ff}, {config.norm_placement}-norm, "
        f"{config.positions} positions",
        f"- {text.vocabulary} vocabulary ({text.kind}): {config.vocab_size} source tokens, {config.n_target_tokens} "
        "target tokens",
        f"- trained on {data['train_pairs']:,} pairs, {training['steps']:,} steps ({training['epochs']} epochs), seed "
        f"{record['seed']}, {record['precision']}; the weights are {training['weights']}",
        *score_lines(record["scores"]),
        "",
        "A small model knows the words and the kinds of sentences it was trained on, and makes up the rest. "
        "Settings: `config.toml`; versions and hashes of the data: `run.json`.",
    ]
    write_text(run.card, "\n".join(lines) + "\n")


def score_lines(scores: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line a score, each with its signature: without one a score cannot be compared."""
    return [f"- {s['name']} {s['value']:.2f} on {s['data']}: `{s['signature']}`" for s in scores]
