"""The model card: what a run's model is, what it learnt from, how that went, and how good it is. In the Hub's form.

Made from what the run folder holds (run.json, metrics.jsonl); measures nothing itself.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from glassformer import __version__
from glassformer.nn import ModelConfig, Transformer
from glassformer.run import Run, write_text
from glassformer.text.config import TextConfig
from glassformer.text.tokenizer import Tokenizer

MAX_ROWS = 6  # of the training curve


def write_card(run: Run, model: Transformer, tokenizer: Tokenizer, record: Mapping[str, Any]) -> None:
    """Write README.md. `record` is what run.json holds."""
    text, name = tokenizer.config, run.folder.resolve().name
    n_parameters = sum(parameter.numel() for parameter in model.parameters())
    sections = [
        heading(name, text),
        model_lines(model.config, text, n_parameters),
        data_lines(record),
        score_lines(record["scores"]),
        curve_lines(run.read_metrics()),
        [
            "A small model knows the words and the kinds of sentences it was trained on, and makes up the rest. "
            "Settings: `config.toml`; versions and the whole record: `run.json`.",
        ],
    ]
    write_text(run.card, "\n\n".join("\n".join(lines) for lines in sections if lines) + "\n")


def heading(name: str, text: TextConfig) -> list[str]:
    """What the Hub reads, a title, and how to use the model."""
    return [
        "---",
        f'language: ["{text.src_lang}", "{text.tgt_lang}"]',
        "library_name: glassformer",
        "pipeline_tag: translation",
        "---",
        "",
        f"# {name}: {text.src_lang} to {text.tgt_lang}",
        "",
        f"A Transformer that translates {text.src_lang} into {text.tgt_lang}, trained with glassformer {__version__}.",
        "",
        "```",
        f'glassformer translate path/to/{name} "..."',
        "```",
    ]


def model_lines(config: ModelConfig, text: TextConfig, n_parameters: int) -> list[str]:
    """The sizes and choices of the model."""
    return [
        f"- {n_parameters:,} parameters: {config.n_encoder_layers} encoder and {config.n_decoder_layers} decoder "
        f"layers, d_model {config.d_model}, {config.n_heads} heads, d_ff {config.d_ff}, {config.norm_placement}-norm, "
        f"{config.positions} positions",
        f"- {text.vocabulary} vocabulary ({text.kind}): {config.vocab_size} source tokens, {config.n_target_tokens} "
        "target tokens",
    ]


def data_lines(record: Mapping[str, Any]) -> list[str]:
    """What it learnt from, by number and hash, and for how long."""
    training, data = record["training"], record["data"]
    lines = [
        "## Data and training",
        "",
        f"- trained on {data['train_pairs']:,} pairs, {training['steps']:,} steps ({training['epochs']} epochs), seed "
        f"{record['seed']}, {record['precision']}; the weights are {training['weights']}",
        f"- validated on {data['valid_pairs']:,} pairs" if data.get("valid_pairs") else "- not validated",
    ]
    hashes = [(side, data.get(f"{side}_sha256")) for side in ("train", "valid")]
    return lines + [f"- prepared text, {side}: sha256 `{value}`" for side, value in hashes if value]


def score_lines(scores: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line a score, each with its signature: without one a score cannot be compared."""
    lines = [f"- {s['name']} {s['value']:.2f} on {s['data']}: `{s['signature']}`" for s in scores]
    return ["## Scores", "", *lines] if lines else []


def curve_lines(events: Sequence[Mapping[str, Any]]) -> list[str]:
    """The validations as a table, a few of many, the last among them; and the picture of all of them."""
    judged = [event for event in events if event.get("event") == "valid"]
    if not judged:
        return []
    every = max(1, -(-len(judged) // MAX_ROWS))
    shown = judged[::-1][::every][::-1]
    names = list(dict.fromkeys(name for event in shown for name in event.get("scores", {})))
    rows = [
        [f"{event['step']:,}", f"{event['nll']:.3f}"]
        + [f"{event['scores'][name]:.2f}" if name in event.get("scores", {}) else "" for name in names]
        for event in shown
    ]
    columns = ["step", "-log p a token", *names]
    lines = [" | ".join(row) for row in (columns, ["---:"] * len(columns), *rows)]
    return ["## Training curve", "", *(f"| {line} |" for line in lines), "", "![Training curves](curves.png)"]
