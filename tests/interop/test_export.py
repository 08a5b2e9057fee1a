"""Every exported folder, loaded in the engine that it is for, gives what the run gives."""

import json
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from glassformer import cli
from glassformer.interop.export import export_run
from glassformer.interop.marian_folder import Languages, read_marian_folder
from glassformer.nn import ModelConfig, Transformer
from glassformer.run import Run
from glassformer.translation import Translator
from glassformer.translation.config import SearchConfig, Stopping
from glassformer.translation.engine import TorchEngine

from .preset_runs import PRESETS, TEXTS, TOKENIZER, expected_log_probs, taught, write_run

SOURCES = [TOKENIZER.encode_source(text) for text in TEXTS]
TARGETS = [TOKENIZER.encode_target(text) for text in ("मुझे पिज़्ज़ा पसंद है।", "वह है", "एक कुत्ता")]
NEVER = [0, 2]


def export(folder: Path, preset: str, target: str) -> Path:
    run = write_run(folder / preset, preset)
    export_run(Run(run), target, folder / "out")
    return folder / "out"


def example_of(folder: Path) -> str:
    """What the example in a folder's README prints, as a user would see it: in a process of its own."""
    readme = (folder / "README.md").read_text(encoding="utf-8")
    lines, code = re.fullmatch(r"# .*\n\n(.*)\n\n```python\n(.*)```\n", readme, flags=re.DOTALL).groups()  # type: ignore[union-attr]
    assert 4 <= len(lines.splitlines()) <= 5
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=folder,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("preset", ["vanilla-2017", "marian"])
def test_transformers_computes_what_a_model_exported_to_marian_computes(tmp_path: Path, preset: str) -> None:
    from transformers import MarianMTModel

    model = taught(preset)
    out = export(tmp_path, preset, "marian")
    theirs = MarianMTModel.from_pretrained(out).eval()
    for source in SOURCES:
        for target in TARGETS:
            with torch.no_grad():
                logits = theirs(
                    input_ids=torch.tensor([source]), decoder_input_ids=torch.tensor([[2, *target[:-1]]])
                ).logits
            found = logits.log_softmax(dim=-1)[0].gather(1, torch.tensor(target)[:, None])[:, 0]
            torch.testing.assert_close(found, expected_log_probs(model, source, target), atol=1e-4, rtol=0)
    search = SearchConfig(beam_width=3, n_best=3, penalty="power", alpha=0.6)
    for source, hypotheses in zip(SOURCES, TorchEngine(model).search(SOURCES, search), strict=True):
        settings = {"num_return_sequences": 3, "max_new_tokens": 2 * len(source) + 10}
        for row, hypothesis in zip(
            theirs.generate(torch.tensor([source]), **settings).tolist(), hypotheses, strict=True
        ):
            # Behind the end it fills up, with pads or with more ends.
            assert row[1 : 1 + len(hypothesis.ids)] == hypothesis.ids
            assert hypothesis.ids[-1] == 3 or len(row) == 1 + len(hypothesis.ids)


def test_transformers_tokenizer_reads_what_was_exported_to_marian(tmp_path: Path) -> None:
    from transformers import MarianTokenizer

    out = export(tmp_path, "marian", "marian")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it would like to have sacremoses
        theirs = MarianTokenizer.from_pretrained(out)
    for text in TEXTS:
        assert theirs(text)["input_ids"] == TOKENIZER.encode_source(text)


def test_a_model_exported_to_marian_and_imported_again_is_the_same(tmp_path: Path) -> None:
    model = taught("vanilla-2017")
    again = read_marian_folder(export(tmp_path, "vanilla-2017", "marian"), Languages())
    assert (again.tokenizer.config.src_lang, again.tokenizer.config.tgt_lang) == ("en", "hi")
    assert [again.tokenizer.encode_source(text) for text in TEXTS] == SOURCES
    src, tgt = torch.tensor([SOURCES[0]]), torch.tensor([[2, *TARGETS[0]]])
    with torch.no_grad():
        torch.testing.assert_close(again.model(src, tgt), model(src, tgt), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("sharing", ["target", "none"])
def test_marian_takes_models_without_biases_and_with_less_sharing(tmp_path: Path, sharing: str) -> None:
    from transformers import MarianMTModel

    from ..translation.tiny_run import save_run

    torch.manual_seed(5)
    settings: dict[str, Any] = {"share_embeddings": sharing, "bias": False, "activation": "gelu", "max_length": 48}
    sizes: dict[str, Any] = {"d_model": 24, "n_heads": 3, "d_ff": 40, "n_encoder_layers": 2, "n_decoder_layers": 1}
    model = Transformer(ModelConfig(vocab_size=TOKENIZER.vocab_size, **sizes, **settings)).eval()
    export_run(Run(save_run(tmp_path / "run", model, TOKENIZER)), "marian", tmp_path / "out")
    theirs = MarianMTModel.from_pretrained(tmp_path / "out").eval()
    src, tgt = torch.tensor([SOURCES[0]]), torch.tensor([[2, *TARGETS[0]]])
    with torch.no_grad():
        torch.testing.assert_close(
            theirs(input_ids=src, decoder_input_ids=tgt).logits, model(src, tgt), atol=1e-4, rtol=1e-4
        )


@pytest.mark.parametrize("preset", PRESETS)
def test_ctranslate2_computes_what_an_exported_model_computes(tmp_path: Path, preset: str) -> None:
    import ctranslate2

    model = taught(preset)
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    out = export(tmp_path, preset, "ctranslate2")
    assert all(torch.equal(weight, before[name]) for name, weight in model.state_dict().items())
    theirs = ctranslate2.Translator(str(out), device="cpu", compute_type="float32", intra_threads=1)
    pieces = [TOKENIZER.source_pieces(source[:-1]) for source in SOURCES]
    for target in TARGETS:
        scored = theirs.score_batch(pieces, [TOKENIZER.target_pieces(target[:-1])] * len(pieces))
        for source, found in zip(SOURCES, scored, strict=True):
            expected = expected_log_probs(model, source, target)
            torch.testing.assert_close(torch.tensor(found.log_probs), expected, atol=1e-4, rtol=0)
    never = [[piece] for piece in TOKENIZER.target_pieces(NEVER)]
    for width in (1, 3):
        search = SearchConfig(beam_width=width, penalty="power", alpha=0.6, stopping="count", max_length=30)
        found = theirs.translate_batch(
            pieces, beam_size=width, length_penalty=0.6, max_decoding_length=30, suppress_sequences=never
        )
        for (best,), other in zip(TorchEngine(model).search(SOURCES, search), found, strict=True):
            assert TOKENIZER.target_pieces([id for id in best.ids if id != 3]) == other.hypotheses[0]


def test_the_examples_in_the_readmes_print_the_translation(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", "vanilla-2017")
    stopping: dict[str, Stopping] = {"marian": "bound", "ctranslate2": "count"}
    for target, rule in stopping.items():
        export_run(Run(run), target, tmp_path / target)
        search = SearchConfig(beam_width=3, penalty="power", alpha=0.6, stopping=rule, max_length=47)
        assert example_of(tmp_path / target) == Translator.load(run).translate("Bark is very cute.", search).text


@pytest.mark.parametrize("target", ["onnx", "torch-export"])
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.slow
def test_the_two_graphs_of_a_model_give_its_log_probabilities_and_its_greedy_translation(
    tmp_path: Path, preset: str, target: str
) -> None:
    run, out = write_run(tmp_path / "run", preset), tmp_path / "out"
    # In a process of its own: torch.export cannot see through the checks of types that tests run with.
    command = [sys.executable, "-m", "glassformer", "export", str(run), "--to", target, "--out", str(out)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")
    model = taught(preset)
    call = onnx_call(out) if target == "onnx" else torch_call(out)
    for source, tgt in zip(SOURCES, [*TARGETS, TARGETS[0], TARGETS[0], *TARGETS], strict=True):
        src = np.array([source, [*source[:-2], 3, 0]])  # the second has a pad
        keys = values = np.zeros((2, 2, 3, 0, 8), dtype=np.float32)
        cross = call("encoder", src)
        given, found = [2, *tgt[:-1]], []
        for token in given:
            log_probs, keys, values = call("decoder_step", np.array([[token], [token]]), src, *cross, keys, values)
            found.append(log_probs)
        for row, ids in enumerate((source, [*source[:-2], 3])):
            mine = torch.tensor(np.stack(found)[:, row]).gather(1, torch.tensor(tgt)[:, None])[:, 0]
            torch.testing.assert_close(mine, expected_log_probs(model, ids, tgt), atol=1e-4, rtol=0)
    greedy = Translator.load(run).translate("Bark is very cute.", SearchConfig(beam_width=1))
    assert example_of(out) == greedy.text
    assert json.loads((out / "ids.json").read_text())["never"] == NEVER


def onnx_call(folder: Path) -> Any:
    import onnxruntime

    sessions = {name: onnxruntime.InferenceSession(folder / f"{name}.onnx") for name in ("encoder", "decoder_step")}

    def call(name: str, *inputs: Any) -> Any:
        names = [one.name for one in sessions[name].get_inputs()]
        return sessions[name].run(None, dict(zip(names, inputs, strict=True)))

    return call


def torch_call(folder: Path) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's own, on its own formats
        programs = {name: torch.export.load(folder / f"{name}.pt2").module() for name in ("encoder", "decoder_step")}

    def call(name: str, *inputs: Any) -> Any:
        return [found.detach().numpy() for found in programs[name](*map(torch.from_numpy, inputs))]

    return call


def refused(capfd: pytest.CaptureFixture[str], *words: object) -> str:
    assert cli.run(["export", *map(str, words)]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1, err
    return err


def test_what_an_engine_cannot_express_is_said_in_one_line_and_leaves_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from ..translation.tiny_run import save_run

    run = write_run(tmp_path / "run", "modern")
    said = refused(capfd, run, "--to", "marian", "--out", tmp_path / "out")
    assert "no pre-norm, no RMSNorm, no rotary positions, no gated feed-forwards, no norm_eps of 1e-06" in said
    sizes: dict[str, Any] = {"d_model": 24, "n_heads": 3, "d_ff": 40, "n_encoder_layers": 1, "n_decoder_layers": 1}
    odd = Transformer(ModelConfig(vocab_size=TOKENIZER.vocab_size, final_norm=True, **sizes))
    run = save_run(tmp_path / "odd", odd, TOKENIZER)
    assert "no norm after a stack of post-norm" in refused(capfd, run, "--to", "ctranslate2", "--out", tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["odd", "run"]


def test_a_folder_that_is_not_empty_is_left_alone(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run = write_run(tmp_path / "run", "marian")
    assert "choose another --out" in refused(capfd, run, "--to", "marian", "--out", run)
    assert (run / "model.safetensors").exists()
