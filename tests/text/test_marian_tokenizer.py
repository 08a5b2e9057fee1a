"""The tokenizer of imported Marian models: ids as transformers' MarianTokenizer gives them, our interface."""

import warnings
from pathlib import Path
from typing import Any

import pytest

from glassformer.text.config import TextConfig
from glassformer.text.marian_files import MarianFiles, read_ids, read_model
from glassformer.text.marian_tokenizer import MarianTokenizer
from glassformer.text.tokenizer import Tokenizer, TokenizerError

from ..interop.marian_models import CODE, sentences, write_vocabulary

TEXTS = [*sentences("english", 60), "A Žebra: 12 €!", "  two   spaces ", "tab\tand newline\n", "मुझे पिज़्ज़ा पसंद है।", "☃"]


def make(folder: Path, *, separate: bool = False, multilingual: bool = False, prefix: str = "") -> MarianTokenizer:
    size = write_vocabulary(folder, separate=separate, multilingual=multilingual)
    config = TextConfig(vocab_size=size, vocabulary="separate" if separate else "joint", kind="unigram")
    files = MarianFiles.read(folder, separate=separate)
    return MarianTokenizer(config, files, tgt_vocab_size=size if separate else None, prefix=prefix)


def oracle(folder: Path) -> Any:
    from transformers import MarianTokenizer as Theirs

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it would like to have sacremoses
        return Theirs.from_pretrained(folder)


@pytest.mark.parametrize("separate", [False, True])
def test_ids_and_text_are_those_of_transformers(tmp_path: Path, separate: bool) -> None:
    ours = make(tmp_path / "m", separate=separate)
    theirs = oracle(tmp_path / "m")
    for text in TEXTS:
        assert ours.encode_source(text) == theirs(text)["input_ids"]
        assert ours.encode_target(text) == theirs(text_target=text)["input_ids"]
    for text in sentences("hindi", 60):
        ids = ours.encode_target(text)
        expected = theirs.decode(ids, skip_special_tokens=True, use_source_tokenizer=False)
        assert ours.decode_target(ids) == " ".join(expected.split()) == text


def test_a_language_code_is_one_token_and_a_prefix_puts_it_where_there_is_none(tmp_path: Path) -> None:
    plain, prefixed = make(tmp_path / "a", multilingual=True), make(tmp_path / "b", multilingual=True, prefix=CODE)
    theirs = oracle(tmp_path / "a")
    text = f"{CODE} They are talking."
    assert plain.encode_source(text) == theirs(text)["input_ids"]
    assert prefixed.encode_source("They are talking.") == plain.encode_source(text)
    assert prefixed.encode_source(f">>mar<< {text}")[0] == read_ids(tmp_path / "b" / "vocab.json")[">>mar<<"]
    assert prefixed.encode_source("  ") == [0]
    ids = plain.encode_source(text)
    assert plain.lead_of(ids) == ids[:1]
    assert plain.lead_of(ids[1:]) == []
    assert plain.language_codes() == [CODE, ">>mar<<"]
    with pytest.raises(TokenizerError, match=r"'>>tam<<' is no token of this model; it has >>hin<<, >>mar<<"):
        make(tmp_path / "c", multilingual=True, prefix=">>tam<<")


def test_saved_and_loaded_by_tokenizer_load_it_is_the_same(tmp_path: Path) -> None:
    for separate in (False, True):
        ours = make(tmp_path / f"m{separate}", separate=separate)
        ours.save(tmp_path / f"t{separate}")
        again = Tokenizer.load(tmp_path / f"t{separate}")
        assert isinstance(again, MarianTokenizer)
        assert (again.vocab_size, again.tgt_vocab_size, again.config) == (
            ours.vocab_size,
            ours.tgt_vocab_size,
            ours.config,
        )
        assert [again.encode_source(text) for text in TEXTS] == [ours.encode_source(text) for text in TEXTS]
        assert [again.encode_target(text) for text in TEXTS] == [ours.encode_target(text) for text in TEXTS]


def test_a_file_that_was_changed_after_saving_is_noticed(tmp_path: Path) -> None:
    make(tmp_path / "m").save(tmp_path / "t")
    (tmp_path / "t" / "vocab.json").write_text("{}")
    with pytest.raises(TokenizerError, match=r"vocab\.json is damaged"):
        Tokenizer.load(tmp_path / "t")


def test_an_unknown_character_is_unk_and_its_word_unseen(tmp_path: Path) -> None:
    ours = make(tmp_path / "m")
    assert ours.unk_id in ours.encode_source("a Žebra")
    assert ours.unseen_words("a Žebra, a Žebra") == ["Žebra"]
    assert ours.unseen_words("They are talking.") == []
    assert ours.unseen_words("They are 🍕, 🍕 (☃)") == ["🍕", "☃"]
    assert "⁇" in ours.decode_target([ours.unk_id, ours.eos_id])


def test_half_a_surrogate_pair_does_no_harm(tmp_path: Path) -> None:
    ours = make(tmp_path / "m")
    assert ours.encode_source("They\ud800 are") == ours.encode_source("They are")


def test_an_imported_tokenizer_is_not_sampled_from(tmp_path: Path) -> None:
    ours = make(tmp_path / "m")
    assert ours.with_sampling(0.0) is ours
    with pytest.raises(TokenizerError, match="one split"):
        ours.with_sampling(0.1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[1, 2]", "holds a list"),
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ('{"a": 1.5}', "gives 'a' the id '1.5'"),
        ('{"a": -1}', "gives 'a' the id '-1'"),
        ('{"a": true}', "gives 'a' the id 'True'"),
        ('{"a": "0"}', "an id is a whole number"),
    ],
)
def test_a_table_of_ids_that_is_none_is_refused(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "vocab.json").write_text(content)
    with pytest.raises(TokenizerError, match=message) as caught:
        read_ids(tmp_path / "vocab.json")
    assert len(str(caught.value)) < 400


def test_ids_that_the_model_does_not_have_are_refused(tmp_path: Path) -> None:
    size = write_vocabulary(tmp_path / "m")
    files = MarianFiles.read(tmp_path / "m", separate=False)
    with pytest.raises(TokenizerError, match=f"the id {size - 1}, but the model knows {size - 1} tokens"):
        MarianTokenizer(TextConfig(vocab_size=size - 1), files, tgt_vocab_size=None)


def test_an_spm_file_that_was_cut_anywhere_is_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write_vocabulary(tmp_path / "m")
    path = tmp_path / "m" / "source.spm"
    whole = path.read_bytes()
    # Everywhere among the pieces, which stand first: between two of them, what is left is a model to sentencepiece.
    for length in [*range(300), len(whole) // 2, len(whole) - 1]:
        path.write_bytes(whole[:length])
        with pytest.raises(TokenizerError, match="no whole sentencepiece model"):
            read_model(path)
    assert capfd.readouterr() == ("", "")
    path.write_bytes(whole)
    assert read_model(path) == whole
