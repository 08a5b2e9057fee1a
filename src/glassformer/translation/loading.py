"""A run folder's config.json and model.safetensors -> a Transformer ready to translate.

Nothing here is unpickled: a file that is not safetensors is refused, whatever it is.
"""

from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file

from glassformer.errors import GlassformerError
from glassformer.nn import ModelConfig, Transformer
from glassformer.run import Run, read_json

from .config import MAX_PLACES, SearchConfig

DEVICES = ("cpu", "cuda", "mps", "xpu")


class ModelFileError(GlassformerError):
    """A run's model cannot be used: a file is missing, damaged, or does not go with the others."""


def load_model(run: Run, device: str) -> Transformer:
    """The model of a run, on this device ("auto": a GPU if there is one), not training."""
    config = read_model_config(run)
    check_weights(run.weights, config)
    try:
        model = Transformer(config)
        model.load_state_dict(load_file(run.weights))
        model.to(pick_device(device))
    except (RuntimeError, MemoryError, SafetensorError) as error:
        raise ModelFileError(f"the model of {run.folder} cannot be made: {first_line(error)}") from None
    for name, weights in model.named_parameters():
        if not weights.isfinite().all():
            raise ModelFileError(f"{run.weights} holds numbers that are not finite, in {name}: its training went wrong")
    return model.eval()


def read_model_config(run: Run) -> ModelConfig:
    """The "model" part of config.json."""
    settings = read_part(run, "model")
    if settings is None:
        raise ModelFileError(
            f'{run.config_json} has no "model" part: the file is not one of glassformer\'s, or damaged'
        )
    try:
        config = ModelConfig(**settings)
    except (TypeError, ValueError) as error:
        raise ModelFileError(f'{run.config_json}, part "model": {first_line(error)}') from None
    if config.max_length > MAX_PLACES:
        # Positions are a table that a formula fills: no file of weights would give such a config the lie.
        raise ModelFileError(f'{run.config_json}, part "model": max_length is {config.max_length}, above {MAX_PLACES}')
    return config


def read_search_config(run: Run) -> SearchConfig:
    """The "search" part of config.json: how this run wants to be searched, unless a user says otherwise."""
    try:
        return SearchConfig(**(read_part(run, "search") or {}))
    except (TypeError, ValueError) as error:
        raise ModelFileError(f'{run.config_json}, part "search": {first_line(error)}') from None


def read_part(run: Run, name: str) -> dict[str, Any] | None:
    """One part of config.json, or None where there is no such part."""
    if not run.config_json.exists():
        raise ModelFileError(f"{run.folder} has no config.json: it holds no trained model (yet?)")
    part = read_json(run.config_json).get(name)
    if part is not None and not isinstance(part, dict):
        raise ModelFileError(f'{run.config_json}, part "{name}", is not an object: the file is damaged')
    return part


def check_weights(path: Path, config: ModelConfig) -> None:
    """Hold the names and shapes in a file of weights against the model's, before anything large is read or made."""
    found = read_shapes(path)
    # First what says how large a model will be: config.json could ask for any size.
    first = {"target_embedding.table.weight": [config.n_target_tokens, config.d_model]}
    compare_shapes(path, {name: found[name] for name in first if name in found}, first)
    if config.n_encoder_layers + config.n_decoder_layers > len(found):
        raise ModelFileError(f"{path} has {len(found)} tensors, too few for the layers that config.json asks for")
    # Tables that a formula gives are not in the file, and need not be made long to compare the rest.
    length = config.max_length if config.positions == "learned" else 1
    with torch.device("meta"):
        model = Transformer(config.with_changes(max_length=length))
    compare_shapes(path, found, {name: list(tensor.shape) for name, tensor in model.state_dict().items()})


def compare_shapes(path: Path, found: dict[str, list[int]], wanted: dict[str, list[int]]) -> None:
    """Raise at the first tensor that is not the same in both."""
    for name in sorted(wanted.keys() | found.keys()):
        if found.get(name) != wanted.get(name):
            raise ModelFileError(
                f"{path} does not go with its config.json: {name} is {found.get(name, 'missing')} in the file and "
                f"{wanted.get(name, 'not a part of the model')} by config.json; put back the two that belong together"
            )


def read_shapes(path: Path) -> dict[str, list[int]]:
    """The shape of every tensor in a file, without reading the tensors."""
    try:
        with safe_open(path, framework="pt") as file:
            names = file.keys()
            return {name: list(file.get_slice(name).get_shape()) for name in names}
    except FileNotFoundError:
        raise ModelFileError(f"{path} does not exist: the run has no trained model (yet?)") from None
    except (SafetensorError, OSError) as error:
        raise ModelFileError(
            f"{path} is not a whole safetensors file ({first_line(error)}): it was cut, damaged, or is something else"
        ) from None


def pick_device(name: str) -> torch.device:
    """The device of this name; "auto" is a GPU if there is one, else the CPU."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if name.partition(":")[0] not in DEVICES:  # torch knows others, such as "meta", which calculates nothing
        raise ModelFileError(f"device {name!r} cannot be used here; expected one of {', '.join(DEVICES)}")
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise ModelFileError(f"device {name!r} cannot be used here: {first_line(error)}") from None
    return device


def first_line(error: BaseException) -> str:
    """The first line of an error's message: torch adds pages."""
    return str(error).strip().split("\n")[0] or type(error).__name__
