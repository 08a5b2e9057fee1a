"""Whole Marian folders: the oracle is the transformers model that was saved into them. And folders that mean harm."""

import json
import pickle
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.testing import assert_close

from glassformer.errors import GlassformerError
from glassformer.interop.marian_folder import Languages, MarianModel, read_marian_folder, read_search
from glassformer.nn import ModelConfig, Trace
from glassformer.translation.engine import TorchEngine, pad
from glassformer.translation.search import Hypothesis

from .little_memory import little_memory
from .marian_models import CODE, save_marian, sentences

KINDS: dict[str, dict[str, Any]] = {
    "one vocabulary": {},
    "separate vocabularies": {"separate": True, "tie_word_embeddings": False},
    "multilingual, pickled": {"multilingual": True, "pickled": True, "activation_function": "gelu"},
}
TIE = 1e-5  # scores nearer to each other than this may change places


@pytest.fixture(scope="module", params=KINDS)
def saved(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    folder = tmp_path_factory.mktemp("models") / "opus-mt-en-hi"
    return folder, save_marian(folder, **KINDS[request.param])


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plain") / "model"
    save_marian(folder, taught=False)
    return folder


def without_pads(ids: list[int], pad_id: int) -> list[int]:
    return ids[: ids.index(pad_id)] if pad_id in ids else ids


@pytest.mark.slow
def test_logits_attention_and_beam_search_are_those_of_transformers(saved: tuple[Path, Any]) -> None:
    folder, theirs = saved
    ours = read_marian_folder(folder, Languages())
    texts = [f"{CODE} {text}" if ours.tokenizer.language_codes() else text for text in sentences("english", 100)]
    sources = [ours.tokenizer.encode_source(text) for text in texts]
    assert_same_logits_and_attention(ours, theirs, sources[:8])

    found = [best for (best,) in TorchEngine(ours.model).search(sources, ours.search)]
    expected = generate(theirs, sources, ours.model.config.pad_id)
    ties = [place for place, (mine, other) in enumerate(zip(found, expected, strict=True)) if mine.ids != other.ids]
    for place in ties:
        assert found[place].score == pytest.approx(expected[place].score, abs=TIE), place
    assert len(ties) <= 2
    assert len({len(one.ids) for one in found}) > 5


def assert_same_logits_and_attention(ours: MarianModel, theirs: Any, sources: list[list[int]]) -> None:
    src = pad(sources, ours.model)
    pad_id = ours.model.config.pad_id
    tgt = torch.cat((torch.full((len(src), 1), pad_id), torch.randint(1, pad_id, (len(src), 6))), dim=1)
    trace = Trace()
    with torch.no_grad():
        logits = ours.model(src, tgt, trace=trace)
        expected = theirs(
            input_ids=src, attention_mask=(src != pad_id).long(), decoder_input_ids=tgt, output_attentions=True
        )
    assert_close(logits, expected.logits, atol=1e-5, rtol=1e-5)
    for kind, by_layer in (
        ("encoder.{}.self", expected.encoder_attentions),
        ("decoder.{}.self", expected.decoder_attentions),
        ("decoder.{}.cross", expected.cross_attentions),
    ):
        for i, weights in enumerate(by_layer):
            assert_close(trace.weights[kind.format(i)], weights, atol=1e-5, rtol=1e-5)


def generate(theirs: Any, sources: list[list[int]], pad_id: int) -> list[Hypothesis]:
    """What transformers' generate makes of them with the settings in the folder, a few at a time."""
    found = []
    for start in range(0, len(sources), 25):
        some = sources[start : start + 25]
        longest = max(map(len, some))
        ids = torch.tensor([source + [pad_id] * (longest - len(source)) for source in some])
        out = theirs.generate(
            input_ids=ids,
            attention_mask=(ids != pad_id).long(),
            output_scores=True,
            return_dict_in_generate=True,
        )
        for row, score in zip(out.sequences.tolist(), out.sequences_scores.tolist(), strict=True):
            found.append(Hypothesis(without_pads(row[1:], pad_id), score, 0.0))
    return found


def test_languages_come_from_the_files_or_the_name_unless_a_user_says_otherwise(plain: Path, tmp_path: Path) -> None:
    assert read_marian_folder(plain, Languages()).tokenizer.config.tgt_lang == "hi"
    assert read_marian_folder(plain, Languages(tgt="mr")).tokenizer.config.tgt_lang == "mr"
    for name, expected in (("opus-mt-de-nl", ("de", "nl")), ("model", ("und", "und"))):
        copy = shutil.copytree(plain, tmp_path / name)
        (copy / "tokenizer_config.json").unlink()
        config = read_marian_folder(copy, Languages()).tokenizer.config
        assert (config.src_lang, config.tgt_lang) == expected


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"num_beams": 6, "max_length": 512}, (6, 1.0, "present", 63)),
        ({"num_beams": 4, "length_penalty": 0.6, "early_stopping": True, "max_length": 40}, (4, 0.6, "count", 39)),
        ({"num_beams": 4, "early_stopping": "never", "max_new_tokens": 17}, (4, 1.0, "bound", 17)),
        ({}, (1, 1.0, "present", None)),
        ({"num_beams": None, "max_length": None, "length_penalty": None}, (1, 1.0, "present", None)),
    ],
)
def test_the_settings_of_generate_become_those_of_our_search(
    settings: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    search = read_search(Path("model"), settings, ModelConfig.preset("marian", vocab_size=50, max_length=63))
    assert (search.beam_width, search.alpha, search.stopping, search.max_length) == expected
    assert search.penalty == "power"


class Runs:
    """Unpickled, this would leave a file behind."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Path.touch, (self.path,)


def change_json(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def lie_in_the_header(path: Path) -> None:
    """Say that a tensor is far larger than the file."""
    content = path.read_bytes()
    n_header = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + n_header])
    header["final_logits_bias"] |= {"shape": [1, 10**12], "data_offsets": [0, 4 * 10**12]}
    written = json.dumps(header).encode()
    path.write_bytes(len(written).to_bytes(8, "little") + written + content[8 + n_header :])


def pickled(folder: Path) -> Path:
    path = folder / "pytorch_model.bin"
    torch.save(load_file(folder / "model.safetensors"), path)
    (folder / "model.safetensors").unlink()
    return path


def put_pickle_for_weights(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(pickle.dumps(Runs(folder / "ran")))


def put_pickle_that_runs(folder: Path) -> None:
    pickled(folder).write_bytes(pickle.dumps({"model.shared.weight": Runs(folder / "ran")}))


def put_packed_archive(folder: Path) -> None:
    path = pickled(folder)
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(folder / "new", "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            new.writestr(entry.filename, old.read(entry))
    (folder / "new").replace(path)


def drop_a_tensor(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    del weights["model.decoder.layers.1.fc1.weight"]
    save_file(weights, folder / "model.safetensors")


def put_nan(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    weights["model.decoder.layers.1.fc1.weight"][3, 4] = torch.nan
    save_file(weights, folder / "model.safetensors")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


HARM: dict[str, tuple[Callable[[Path], object], str]] = {
    "a pickle named safetensors": (put_pickle_for_weights, "is not a whole safetensors file"),
    "a pickle that runs code": (put_pickle_that_runs, "a pickle that wants to run code"),
    "half a pickle": (lambda folder: cut(pickled(folder)), "is not a file of weights"),
    "a packed archive": (put_packed_archive, "is a compressed archive"),
    "tensors in a list": (lambda folder: torch.save([1], pickled(folder)), "something else than tensors by name"),
    "a header that lies": (lambda folder: lie_in_the_header(folder / "model.safetensors"), "not a whole safetensors"),
    "half the weights": (lambda folder: cut(folder / "model.safetensors"), "is not a whole safetensors file"),
    "a tensor missing": (drop_a_tensor, "decoder.layers.1.feed_forward.widen.weight is missing"),
    "a number that is none": (put_nan, "numbers that are not finite"),
    "no weights": (lambda folder: (folder / "model.safetensors").unlink(), "there are no weights"),
    "ten billion layers": (
        lambda folder: change_json(folder / "config.json", encoder_layers=10**10),
        "too few for the",
    ),
    "a width of a billion": (lambda folder: change_json(folder / "config.json", d_model=3 * 10**9), "does not go with"),
    "a billion places": (
        lambda folder: change_json(folder / "config.json", max_position_embeddings=10**9),
        "at most 65536 is read",
    ),
    "ids out of range": (
        lambda folder: change_json(folder / "config.json", pad_token_id=10**6),
        "outside a vocabulary",
    ),
    "a wrong vocabulary": (lambda folder: change_json(folder / "config.json", vocab_size=100), "outside a vocabulary"),
    "another end": (lambda folder: change_json(folder / "config.json", eos_token_id=3), "has the id 0 in the vocab"),
    "another kind of model": (lambda folder: change_json(folder / "config.json", model_type="bert"), "only marian"),
    "text for numbers": (lambda folder: change_json(folder / "config.json", d_model="wide"), "d_model is 'wide'"),
    "no config": (lambda folder: (folder / "config.json").unlink(), "config.json cannot be read"),
    "a config that is a list": (lambda folder: (folder / "config.json").write_text("[]"), "expected an object"),
    "a million beams": (lambda folder: change_json(folder / "generation_config.json", num_beams=10**6), "at most 100"),
    "half an spm file": (lambda folder: cut(folder / "source.spm"), "source.spm is no whole sentencepiece model"),
    "no spm file": (lambda folder: (folder / "target.spm").unlink(), "target.spm cannot be read"),
    "a list for a vocabulary": (lambda folder: (folder / "vocab.json").write_text("[]"), "vocab.json holds a list"),
    "an id too large": (lambda folder: change_json(folder / "vocab.json", zebra=10**9), "gives 'zebra' the id"),
    "no unknown token": (lambda folder: (folder / "vocab.json").write_text('{"</s>": 0}'), "has no token <unk>"),
}


@pytest.mark.parametrize("harm", HARM)
def test_a_folder_that_is_damaged_or_means_harm_is_refused_in_one_line(plain: Path, tmp_path: Path, harm: str) -> None:
    folder = shutil.copytree(plain, tmp_path / "model")
    do, message = HARM[harm]
    do(folder)
    with little_memory(), pytest.raises(GlassformerError) as caught:
        read_marian_folder(folder, Languages())
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (folder / "ran").exists()
