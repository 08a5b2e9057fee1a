"""Run folders that are none, or not whole, or hostile: a sentence each."""

import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from glassformer.errors import GlassformerError
from glassformer.translation import Translator

Break = Callable[[Path], None]


class Bomb:
    """Leaves a file behind if anybody unpickles it."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (self.trace,))


def change_config(folder: Path, part: str, **changes: Any) -> None:
    path = folder / "config.json"
    config = json.loads(path.read_text())
    config[part] |= changes
    path.write_text(json.dumps(config))


def change_weights(folder: Path, change: Callable[[dict[str, torch.Tensor]], None]) -> None:
    weights = load_file(folder / "model.safetensors")
    change(weights)
    save_file(weights, folder / "model.safetensors")


def cut_weights(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])


BREAKS: dict[str, tuple[Break, str]] = {
    "no config": (lambda folder: (folder / "config.json").unlink(), "neither config.json nor config.toml"),
    "config of a training only": (
        lambda folder: (folder / "config.json").rename(folder / "config.toml") and None,
        "has no config.json: it holds no trained model",
    ),
    "config cut": (lambda folder: (folder / "config.json").write_text('{"model": {') and None, "is not JSON"),
    "config of a list": (lambda folder: (folder / "config.json").write_text("[]") and None, "not an object"),
    "config without a model": (lambda folder: (folder / "config.json").write_text("{}") and None, 'no "model" part'),
    "model of a list": (
        lambda folder: (folder / "config.json").write_text('{"model": [1]}') and None,
        'part "model", is not an object',
    ),
    "unknown field": (lambda folder: change_config(folder, "model", colour=3), "colour"),
    "impossible sizes": (lambda folder: change_config(folder, "model", n_heads=5), "does not split into 5 heads"),
    "impossible search": (lambda folder: change_config(folder, "search", n_best=9), "n_best is 9 but beam_width 3"),
    "no weights": (lambda folder: (folder / "model.safetensors").unlink(), "does not exist: the run has no trained"),
    "weights cut": (cut_weights, "not a whole safetensors file"),
    "weights empty": (
        lambda folder: (folder / "model.safetensors").write_bytes(b"") and None,
        "not a whole safetensors",
    ),
    "other width": (
        lambda folder: change_config(folder, "model", d_model=48),
        r"\[.*\] in the file and \[.*\] by config",
    ),
    "huge width": (
        lambda folder: change_config(folder, "model", d_model=3 * 10**9),
        "does not go with its config.json",
    ),
    "endless layers": (lambda folder: change_config(folder, "model", n_encoder_layers=10**9), "too few for the layers"),
    "endless places": (
        lambda folder: change_config(folder, "model", max_length=10**13),
        "max_length is 10000000000000, above 65536",
    ),
    "a tensor missing": (
        lambda folder: change_weights(
            folder, lambda weights: weights.pop("encoder.layers.0.feed_forward.widen.weight")
        ),
        "missing in the file",
    ),
    "not finite": (
        lambda folder: change_weights(
            folder, lambda weights: weights["target_embedding.table.weight"].fill_(torch.nan)
        ),
        "not finite",
    ),
    "no tokenizer": (lambda folder: shutil.rmtree(folder / "tokenizer"), "holds no"),
}


@pytest.fixture
def broken(run_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(run_folder, tmp_path / "run"))


@pytest.mark.parametrize("what", BREAKS)
def test_a_run_that_is_not_whole_is_refused_in_a_sentence(broken: Path, what: str) -> None:
    breaks, message = BREAKS[what]
    breaks(broken)
    with pytest.raises(GlassformerError, match=message) as error:
        Translator.load(broken, device="cpu")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("protocol", [0, 2, 5])
def test_a_hostile_pickle_in_place_of_the_weights_is_refused_and_not_run(broken: Path, protocol: int) -> None:
    trace = broken / "trace"
    (broken / "model.safetensors").write_bytes(pickle.dumps(Bomb(trace), protocol=protocol))
    with pytest.raises(GlassformerError, match="not a whole safetensors file"):
        Translator.load(broken, device="cpu")
    assert not trace.exists()


def test_a_hostile_torch_file_in_place_of_the_weights_is_refused_and_not_run(broken: Path) -> None:
    trace = broken / "trace"
    torch.save(Bomb(trace), broken / "model.safetensors")
    with pytest.raises(GlassformerError, match="not a whole safetensors file"):
        Translator.load(broken, device="cpu")
    assert not trace.exists()


def test_a_tokenizer_of_another_run_is_refused(broken: Path) -> None:
    from glassformer.text.tokenizer import TextConfig, Tokenizer

    from .tiny_run import PAIRS

    Tokenizer.train(PAIRS, TextConfig(vocab_size=118)).save(broken / "tokenizer")
    with pytest.raises(GlassformerError, match="has 118 source tokens and the model knows 120"):
        Translator.load(broken, device="cpu")


def test_weights_saved_in_bfloat16_are_computed_with_in_float32(broken: Path) -> None:
    weights = {name: tensor.bfloat16() for name, tensor in load_file(broken / "model.safetensors").items()}
    save_file(weights, broken / "model.safetensors")
    translator = Translator.load(broken, device="cpu")
    assert all(parameter.dtype == torch.float32 for parameter in translator.model.parameters())
    assert translator.translate("I like pizza.").text


def test_a_run_folder_that_is_not_there_or_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GlassformerError, match="does not exist"):
        Translator.load(tmp_path / "nowhere")
    (tmp_path / "file").write_text("x")
    with pytest.raises(GlassformerError, match="is a file"):
        Translator.load(tmp_path / "file")


@pytest.mark.parametrize("device", ["cuda:77", "tpu!", "nonsense", "meta"])
def test_a_device_that_is_not_there_is_refused(run_folder: Path, device: str) -> None:
    with pytest.raises(GlassformerError, match="cannot be used here"):
        Translator.load(run_folder, device=device)
