"""The model card: everything in it comes from the run's own files."""

from pathlib import Path
from typing import Any

from glassformer.nn import ModelConfig, Transformer
from glassformer.run import Run
from glassformer.training.card import curve_lines, write_card

from ..translation.tiny_run import make_tokenizer

RECORD: dict[str, Any] = {
    "seed": 5,
    "precision": "fp32",
    "data": {"train_pairs": 12345, "valid_pairs": 67, "train_sha256": "ab" * 32, "valid_sha256": "cd" * 32},
    "training": {"steps": 4200, "epochs": 3, "weights": "the last step, 4200"},
    "scores": [{"name": "BLEU (intl)", "value": 31.415, "data": "validation (67 pairs)", "signature": "nrefs:1|v:2"}],
}


def valid(step: int, **scores: float) -> dict[str, Any]:
    return {"event": "valid", "step": step, "nll": step / 1000, "scores": scores}


def test_the_card_has_what_the_hub_reads_the_data_the_scores_and_the_curve(tmp_path: Path) -> None:
    run = Run(tmp_path / "en-hi")
    run.folder.mkdir()
    for event in (valid(100, bleu=1.5), {"event": "train", "step": 150}, valid(2000, bleu=30.25)):
        run.append_metric(event)
    tokenizer = make_tokenizer()
    sizes: dict[str, Any] = {"d_model": 24, "n_heads": 3, "d_ff": 40, "n_encoder_layers": 1, "n_decoder_layers": 2}
    write_card(run, Transformer(ModelConfig(vocab_size=tokenizer.vocab_size, **sizes)), tokenizer, RECORD)
    card = run.card.read_text(encoding="utf-8")
    front = card.split("---\n")[1]
    assert 'language: ["en", "hi"]\n' in front
    assert "pipeline_tag: translation\n" in front
    for words in (
        "# en-hi: en to hi",
        "trained on 12,345 pairs, 4,200 steps (3 epochs), seed 5",
        "validated on 67 pairs",
        f"sha256 `{'ab' * 32}`",
        "- BLEU (intl) 31.41 on validation (67 pairs): `nrefs:1|v:2`",
        "| step | -log p a token | bleu |\n| ---: | ---: | ---: |\n| 100 | 0.100 | 1.50 |\n| 2,000 | 2.000 | 30.25 |",
        "![Training curves](curves.png)",
    ):
        assert words in card, words


def test_of_many_validations_a_few_are_shown_the_last_among_them() -> None:
    lines = curve_lines([valid(step, bleu=1.0) for step in range(1, 48)])
    rows = [line for line in lines if line.startswith("| ") and line[2].isdigit()]
    assert len(rows) == 6
    assert rows[-1].startswith("| 47 |")
    assert curve_lines([]) == []
