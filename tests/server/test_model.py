"""/model: what a model is, held against the model itself."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import torch

from glassformer.nn import ModelConfig, Transformer
from glassformer.run import default_run, write_json
from glassformer.server.model import describe, positions_of, shown_columns, sizes_of
from glassformer.translation import Translator

from ..served import Served
from .test_libretranslate import ask

SIZES = {"d_model": 12, "n_heads": 3, "d_ff": 20, "n_encoder_layers": 1, "n_decoder_layers": 2, "max_length": 9}


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load(default_run(), device="cpu")


def test_a_server_describes_its_model(server: Served, translator: Translator) -> None:
    status, answer, headers = ask(server, "/model")
    assert status == 200
    assert headers["Content-Type"] == "application/json"
    assert (answer["src_lang"], answer["tgt_lang"]) == ("en", "hi")
    assert (answer["src_name"], answer["tgt_name"]) == ("English", "Hindi")
    assert answer["name"] == translator.facts.name
    assert answer["parameters"] == translator.facts.parameters
    assert answer["config"] == asdict(translator.model.config)
    assert answer["search"] == asdict(translator.search)
    assert answer["tokens"] == translator.model.config.vocab_size
    expected = json.loads(json.dumps(describe(translator)))
    assert [part["id"] for part in answer.pop("parts")] == [part["id"] for part in expected.pop("parts")]
    assert answer == expected


def test_a_model_is_picked_by_its_languages(server: Served) -> None:
    first = ask(server, "/model")[1]
    assert ask(server, "/model?source=en&target=hi")[1] == first
    assert ask(server, "/model?target=hi")[1] == first
    status, answer, _ = ask(server, "/model?source=hi&target=en")
    assert (status, answer) == (400, {"error": "No model here translates from 'hi' to 'en'"})


@pytest.mark.parametrize("preset", ["vanilla-2017", "marian", "modern"])
@pytest.mark.parametrize("changes", [{}, {"share_embeddings": "none", "tgt_vocab_size": 31, "positions": "learned"}])
def test_the_sizes_of_the_parts_add_up_to_the_model(preset: str, changes: dict[str, Any]) -> None:
    model = Transformer(ModelConfig.preset(preset, vocab_size=29, **SIZES, **changes))
    sizes = {part["part"]: part["parameters"] for part in sizes_of(model)}
    assert sum(sizes.values()) == sum(weights.numel() for weights in model.parameters())
    layer = model.decoder.layers[1]
    assert sizes["decoder.1.cross"] == sum(weights.numel() for weights in layer.cross_attention.parameters())
    assert sizes["decoder.1.feed_forward"] == sum(weights.numel() for weights in layer.feed_forward.parameters())
    assert sizes["encoder.0.self"] == sum(w.numel() for w in model.encoder.layers[0].self_attention.parameters())
    assert sizes["encoder.0.norms"] > 0
    assert sizes["embedding"] == 12 * (31 if changes else 29)
    assert ("output" in sizes) == ("source_embedding" in sizes) == bool(changes)
    assert ("encoder.norm" in sizes) == (preset == "modern")


def test_positions_are_a_table_of_what_is_added_to_the_first_places() -> None:
    torch.manual_seed(1)
    for kind in ("sinusoidal", "sinusoidal-halves", "learned"):
        model = Transformer(ModelConfig(vocab_size=29, **(SIZES | {"positions": kind, "max_length": 70})))
        shown = positions_of(model)
        assert (shown["kind"], shown["columns"]) == (kind, list(range(12)))
        table = torch.tensor(shown["table"])
        torch.testing.assert_close(table, model.source_positions(64).detach(), atol=0.51e-3, rtol=0)
    short = Transformer(ModelConfig(vocab_size=29, **SIZES))
    assert len(positions_of(short)["table"]) == 9
    rotary = Transformer(ModelConfig.preset("modern", vocab_size=29, **SIZES))
    assert positions_of(rotary) == {"kind": "rotary", "columns": None, "table": None}


def test_a_wide_models_positions_are_thinned_out_by_pairs_over_the_whole_width() -> None:
    assert shown_columns(256) == list(range(256))
    assert shown_columns(512) == list(range(512))
    columns = shown_columns(1024)
    assert len(set(columns)) == len(columns) == 512
    assert (columns[:2], columns[-2:]) == ([0, 1], [1022, 1023])
    assert {(a % 2, b - a) for a, b in zip(columns[::2], columns[1::2], strict=True)} == {(0, 1)}
    gaps = {b - a for a, b in zip(columns[::2], columns[2::2], strict=False)}
    assert gaps <= {4, 6}
    model = Transformer(ModelConfig(vocab_size=29, **(SIZES | {"d_model": 1024, "n_heads": 2})))
    shown = positions_of(model)
    assert shown["columns"] == columns
    table = torch.tensor(shown["table"])
    torch.testing.assert_close(table, model.source_positions(9).detach()[:, columns], atol=0.51e-3, rtol=0)


def test_scores_are_those_of_the_run(translator: Translator, tmp_path: Path) -> None:
    assert describe(translator)["scores"] is None
    folder = tmp_path / "scored"
    folder.mkdir()
    for path in Path(default_run()).iterdir():
        (folder / path.name).symlink_to(path.resolve())
    scores = [{"data": "held out", "name": "BLEU", "value": 31.5}]
    (folder / "run.json").unlink(missing_ok=True)
    write_json(folder / "run.json", {"scores": scores})
    assert describe(Translator.load(folder, device="cpu"))["scores"] == scores
