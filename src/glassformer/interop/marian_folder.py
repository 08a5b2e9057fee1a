"""A folder of a Marian / OPUS-MT model, as transformers saves it -> a model, its tokenizer, how to search.

Downloads nothing (see hub.py) and writes nothing. The folder may come from anywhere: names and shapes are held against
the config before anything large is made, and pickles are read as weights only, with no code in them run.
"""

import json
import pickle
import re
import warnings
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from glassformer.errors import GlassformerError
from glassformer.nn import ModelConfig, Transformer
from glassformer.text.marian_files import MarianFiles
from glassformer.text.marian_tokenizer import MarianTokenizer
from glassformer.text.tokenizer import TextConfig
from glassformer.translation.config import MAX_PLACES, SearchConfig, Stopping
from glassformer.translation.loading import compare_shapes, first_line, read_shapes

from .marian import config_from_marian, names_in_marian

MAX_BEAMS = 100
MAX_JSON_BYTES = 16 * 2**20

Load = Callable[[str], Tensor]


class MarianFolderError(GlassformerError):
    """A folder is not that of a Marian model, or holds one that glassformer cannot express."""


class Languages(NamedTuple):
    """From what into what a model translates, as far as a user says; None: as the folder has it."""

    src: str | None = None
    tgt: str | None = None
    prefix: str = ""  # such as `>>hin<<`, for each text without one


class MarianModel(NamedTuple):
    """What a folder held."""

    model: Transformer
    tokenizer: MarianTokenizer
    search: SearchConfig


def read_marian_folder(folder: Path, languages: Languages) -> MarianModel:
    """Read a folder with config.json, model.safetensors or pytorch_model.bin, vocab.json, source.spm and target.spm."""
    if not folder.is_dir():
        found = "is a file" if folder.exists() else "does not exist"
        raise MarianFolderError(
            f"{folder} {found}: name the folder of a Marian model (config.json, weights, spm files)"
        )
    settings = read_object(folder / "config.json")
    config = read_config(folder / "config.json", settings)
    generation = folder / "generation_config.json"
    # Older models have the settings of their search in config.json.
    search = read_search(folder, {**settings, **(read_object(generation) if generation.exists() else {})}, config)
    tokenizer = read_tokenizer(folder, config, languages)
    return MarianModel(read_model(folder, config), tokenizer, search)


def read_object(path: Path) -> dict[str, Any]:
    """Read a JSON file that must hold an object."""
    try:
        if path.stat().st_size > MAX_JSON_BYTES:
            raise MarianFolderError(f"{path} has {path.stat().st_size:,} bytes: no config is that large")
        found = json.loads(path.read_bytes())
    except OSError as error:
        raise MarianFolderError(f"{path} cannot be read: {error.strerror}; a Marian model has one") from None
    except (ValueError, RecursionError) as error:
        raise MarianFolderError(f"{path} is not JSON ({str(error)[:80]}): the file is damaged") from None
    if not isinstance(found, dict):
        raise MarianFolderError(f"{path} holds a {type(found).__name__}; expected an object")
    return found


def read_config(path: Path, settings: Mapping[str, Any]) -> ModelConfig:
    """The config of our model for the contents of a Marian config.json."""
    if settings.get("model_type") != "marian":
        raise MarianFolderError(
            f"{path} is of model_type {str(settings.get('model_type'))[:40]!r}; only marian can be imported"
        )
    try:
        config = config_from_marian(settings)
    except KeyError as error:
        raise MarianFolderError(f"{path} has no {error}: it is not whole") from None
    except (TypeError, ValueError) as error:
        raise MarianFolderError(f"{path}: {first_line(error)[:300]}") from None
    if config.max_length > MAX_PLACES:
        raise MarianFolderError(f"{path}: max_position_embeddings is {config.max_length}; at most {MAX_PLACES} is read")
    return config


def read_search(folder: Path, settings: Mapping[str, Any], config: ModelConfig) -> SearchConfig:
    """What generation_config.json says, in the words of our search: transformers divides a score by n ** alpha."""

    def number(name: str, otherwise: int) -> int | float:
        value = settings.get(name)
        return value if isinstance(value, int | float) and value is not True else otherwise

    early = settings.get("early_stopping") or False
    stopping: Stopping = "count" if early is True else "bound" if early == "never" else "present"
    # transformers counts the token that the decoder starts from, we do not.
    longest = settings.get("max_new_tokens") or (settings.get("max_length") or 0) - 1
    try:
        width = int(number("num_beams", 1))
        if width > MAX_BEAMS:
            raise ValueError(f"num_beams is {width}; at most {MAX_BEAMS} are searched")
        return SearchConfig(
            beam_width=width,
            penalty="power",
            alpha=float(number("length_penalty", 1)),
            stopping=stopping,
            max_length=min(int(longest), config.max_length) if longest > 0 else None,
            min_length=max(1, int(number("min_length", 1))),
        )
    except (TypeError, ValueError, OverflowError) as error:
        raise MarianFolderError(f"{folder}, settings of the search: {first_line(error)[:300]}") from None


def read_tokenizer(folder: Path, config: ModelConfig, languages: Languages) -> MarianTokenizer:
    """The tokenizer, held against the model's ids."""
    files = MarianFiles.read(folder, separate=config.tgt_vocab_size is not None and separate_tables(folder))
    src, tgt = languages_of(folder)
    text = TextConfig(
        src_lang=languages.src or src,
        tgt_lang=languages.tgt or tgt,
        vocab_size=config.vocab_size,
        vocabulary="joint" if config.tgt_vocab_size is None else "separate",
        kind="unigram",
    )
    tokenizer = MarianTokenizer(text, files, tgt_vocab_size=config.tgt_vocab_size, prefix=languages.prefix)
    for name, ours, theirs in (("</s>", tokenizer.eos_id, config.eos_id), ("<pad>", tokenizer.pad_id, config.pad_id)):
        if ours != theirs:
            raise MarianFolderError(
                f"{folder}: {name} has the id {ours} in the vocabulary and {theirs} in config.json: "
                "the two are not of one model"
            )
    return tokenizer


def separate_tables(folder: Path) -> bool:
    """Whether the target language has a table of ids of its own."""
    return (folder / "target_vocab.json").exists()


def languages_of(folder: Path) -> tuple[str, str]:
    """By tokenizer_config.json, else by a name such as opus-mt-en-hi, else undetermined."""
    path = folder / "tokenizer_config.json"
    settings = read_object(path) if path.exists() else {}
    src, tgt = settings.get("source_lang"), settings.get("target_lang")
    if isinstance(src, str) and isinstance(tgt, str) and src and tgt:
        return src, tgt
    named = re.search(r"\b([a-z]{2,3})-([a-z]{2,3})$", folder.resolve().name)
    return (named[1], named[2]) if named else ("und", "und")


def read_model(folder: Path, config: ModelConfig) -> Transformer:
    """The model with the weights of model.safetensors, or of pytorch_model.bin."""
    path = folder / "model.safetensors"
    if path.exists():
        shapes = read_shapes(path)
        with safe_open(path, framework="pt") as file:
            return fill(path, config, shapes, file.get_tensor)
    path = folder / "pytorch_model.bin"
    if not path.exists():
        raise MarianFolderError(f"{folder} has neither model.safetensors nor pytorch_model.bin: there are no weights")
    weights = read_pickled(path)
    return fill(path, config, {name: list(weight.shape) for name, weight in weights.items()}, weights.__getitem__)


def fill(path: Path, config: ModelConfig, shapes: Mapping[str, list[int]], load: Load) -> Transformer:
    """A model with these weights. Names and shapes are compared before a tensor is read."""
    if config.n_encoder_layers + config.n_decoder_layers > len(shapes):
        raise MarianFolderError(f"{path} has {len(shapes)} tensors, too few for the layers that config.json asks for")
    places = {
        ours: next((name for name in names if name in shapes), names[0]) for ours, names in names_in_marian(config)
    }
    found = {ours: shapes[theirs] for ours, theirs in places.items() if theirs in shapes}
    if len(found.get("logits_bias", [])) == 2:
        found["logits_bias"] = found["logits_bias"][1:]  # [1, V] -> [V]
    # The embedding alone first: a model of an absurd width has absurd positions, even where nothing else is made.
    first = "target_embedding.table.weight"
    compare_shapes(
        path, {first: found[first]} if first in found else {}, {first: [config.n_target_tokens, config.d_model]}
    )
    try:
        with torch.device("meta"):
            wanted = Transformer(config.with_changes(max_length=1)).state_dict()
        compare_shapes(path, found, {name: list(tensor.shape) for name, tensor in wanted.items()})
        model = Transformer(config)
        model.load_state_dict({ours: load(theirs).float().view(wanted[ours].shape) for ours, theirs in places.items()})
    except (RuntimeError, MemoryError, SafetensorError, OverflowError, TypeError) as error:
        raise MarianFolderError(f"{path} cannot be read as a Marian model: {first_line(error)[:300]}") from None
    for name, weights in model.named_parameters():
        # A bias of -inf is how some converters forbid the pad; searches never produce it anyhow.
        if not (weights.isfinite() | weights.isneginf() & (name == "logits_bias")).all():
            raise MarianFolderError(f"{path} holds numbers that are not finite, in {name}: the file is damaged")
    return model.eval()


def read_pickled(path: Path) -> dict[str, Tensor]:
    """The tensors of a pytorch_model.bin. Whatever else a pickle could do is refused."""
    refused = f"{path} is not a file of weights: it was cut, damaged, or is a pickle that wants to run code"
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                # torch stores weights as they are; what is packed may unpack to any size.
                if any(entry.compress_type != zipfile.ZIP_STORED for entry in archive.infolist()):
                    raise MarianFolderError(f"{path} is a compressed archive: torch does not write such files")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on what else it finds in the file: one line is said of that, or none
            weights = torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, zipfile.BadZipFile, RuntimeError, OSError, EOFError, MemoryError) as error:
        raise MarianFolderError(f"{refused} ({type(error).__name__})") from None
    except (AttributeError, ValueError, TypeError, KeyError, IndexError, ImportError, AssertionError) as error:
        # torch's reader meets nonsense in many ways.
        raise MarianFolderError(f"{refused} ({type(error).__name__})") from None
    if not isinstance(weights, dict) or not all(
        isinstance(name, str) and isinstance(weight, Tensor) for name, weight in weights.items()
    ):
        raise MarianFolderError(f"{path} holds something else than tensors by name: it is not a file of weights")
    return weights
