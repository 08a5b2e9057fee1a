"""Several models at once, over a real port: each pair of languages its own; one pair twice is refused."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from glassformer.nn import ModelConfig, Transformer
from glassformer.run import default_run, write_json
from glassformer.text.tokenizer import TextConfig, Tokenizer
from glassformer.translation import SearchConfig, Translator

from ..served import Served
from .asking import IN_HINDI, PIZZA, Asking, access_log, ask, post, wait_until
from .conftest import serving

PAIRS = [("मुझे पिज़्ज़ा पसंद है।", "I like pizza."), ("पिज़्ज़ा किसे पसंद है?", "Who loves pizza?")]


def make_run(folder: Path, src_lang: str, tgt_lang: str) -> Path:
    """A run that has learnt nothing: what it says is nonsense, but always the same."""
    tokenizer = Tokenizer.train(PAIRS, TextConfig(vocab_size=80, src_lang=src_lang, tgt_lang=tgt_lang))
    torch.manual_seed(5)
    sizes = {"d_model": 16, "n_heads": 2, "d_ff": 24, "n_encoder_layers": 1, "n_decoder_layers": 1, "max_length": 40}
    model = Transformer(ModelConfig(vocab_size=tokenizer.vocab_size, **sizes))
    folder.mkdir()
    tokenizer.save(folder / "tokenizer")
    save_file(model.state_dict(), folder / "model.safetensors")
    parts = {"model": asdict(model.config), "search": asdict(SearchConfig(beam_width=3)), "version": 1}
    write_json(folder / "config.json", parts | {"languages": {"src": src_lang, "tgt": tgt_lang}})
    return folder


@pytest.fixture(scope="module")
def backwards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("runs") / "backwards", "hi", "en")


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory, backwards: Path) -> Iterator[Served]:
    """English to Hindi and back."""
    with serving(tmp_path_factory.mktemp("both") / "log.txt", str(default_run()), str(backwards)) as served:
        yield served


def test_each_pair_is_translated_by_its_own_model(both: Served, backwards: Path) -> None:
    assert post(both, "/translate", PIZZA) == (200, {"translatedText": IN_HINDI})
    expected = Translator.load(backwards, device="cpu").translate("मुझे पिज़्ज़ा पसंद है।").text
    back = {"q": "मुझे पिज़्ज़ा पसंद है।", "source": "hi", "target": "en"}
    assert post(both, "/translate", back) == (200, {"translatedText": expected})
    assert expected != IN_HINDI


def test_the_languages_are_those_of_both(both: Served) -> None:
    targets = {language["code"]: language["targets"] for language in ask(both, "/languages")[1]}
    assert targets == {"en": ["en", "hi"], "hi": ["hi", "en"]}


def test_one_request_may_need_both_models(both: Served, backwards: Path) -> None:
    _, answer = post(both, "/translate", {"q": ["I like pizza.", "मुझे"], "source": "auto", "target": "en"})
    assert answer["translatedText"][0] == "I like pizza."
    assert [found["language"] for found in answer["detectedLanguage"]] == ["en", "hi"]
    expected = Translator.load(backwards, device="cpu").translate("मुझे").text
    assert answer["translatedText"][1] == expected


def test_clients_of_both_at_the_same_time_get_what_they_asked_for(both: Served) -> None:
    back = {"q": "मुझे", "source": "hi", "target": "en"}
    expected = [post(both, "/translate", fields) for fields in (PIZZA, back)]
    asking = [Asking(both, fields) for fields in (PIZZA, back) * 10]
    assert [client.answer for client in asking] == expected * 10


def test_auto_with_an_empty_list_is_an_empty_answer(both: Served) -> None:
    assert post(both, "/translate", {"q": [], "source": "auto", "target": "en"})[1] == {
        "translatedText": [],
        "detectedLanguage": [],
    }
    assert post(both, "/translate", {"q": [], "source": "auto", "target": "zz"})[0] == 400


def test_two_runs_of_one_pair_are_refused_in_one_line(tmp_path: Path, backwards: Path) -> None:
    twin = make_run(tmp_path / "twin", "hi", "en")
    command = [sys.executable, "-m", "glassformer", "serve", str(backwards), str(twin), "--port", "0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "two models translate from hi to en: backwards and twin" in done.stderr


def test_a_folder_that_is_no_run_is_said_in_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "glassformer", "serve", str(tmp_path / "nothing"), "--port", "0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_the_access_log_is_a_line_of_json_a_request(both: Served) -> None:
    ask(both, "/begin")
    ask(both, "/health")
    post(both, "/translate", PIZZA)
    ask(both, "/n%C3%B6%0Anothing?secret")
    wait_until(lambda: "nothing" in both.log.read_text(encoding="utf-8"))
    lines = access_log(both)
    lines = lines[1 + next(i for i, line in enumerate(lines) if line["path"] == "/begin") :]
    assert [(line["method"], line["path"], line["status"]) for line in lines] == [
        ("GET", "/health", 200),
        ("POST", "/translate", 200),
        ("GET", "/nö\nnothing", 404),
    ]
    assert all(line.keys() == {"time", "method", "path", "status", "ms"} for line in lines)
