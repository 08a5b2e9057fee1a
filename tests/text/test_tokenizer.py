"""Text to ids and back; the same bytes for the same text; a folder that is whole or refused."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import sentencepiece
from hypothesis import assume, given
from hypothesis import strategies as st

from glassformer.text.config import TextConfig
from glassformer.text.normalise import normalise
from glassformer.text.tokenizer import Tokenizer, TokenizerError
from glassformer.text.vocabulary import VocabularyError

from .conftest import SIZES

Pairs = list[tuple[str, str]]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_special_ids_are_fixed_and_the_size_is_the_one_asked_for(tokenizer: Tokenizer) -> None:
    assert tokenizer.target_pieces([0, 1, 2, 3]) == ["<pad>", "<unk>", "<s>", "</s>"]
    assert (tokenizer.pad_id, tokenizer.unk_id, tokenizer.bos_id, tokenizer.eos_id) == (0, 1, 2, 3)
    assert tokenizer.vocab_size == SIZES[tokenizer.config.kind]
    assert tokenizer.tgt_vocab_size is None


def test_decoding_what_was_encoded_gives_the_text_back(tokenizer: Tokenizer, pairs: Pairs) -> None:
    for src, tgt in pairs:
        assert tokenizer.decode_target(tokenizer.encode_target(tgt)) == tgt
        assert tokenizer.decode_source(tokenizer.encode_source(src)) == src


@given(st.data())
def test_any_text_of_known_characters_survives(tokenizer: Tokenizer, pairs: Pairs, data: st.DataObject) -> None:
    known = sorted({character for pair in pairs for text in pair for character in text})
    text = data.draw(st.text(st.sampled_from(known)))
    # Two known characters can be one unknown one: र and a nukta are ऱ to NFC.
    assume(set(normalise(text)) <= {" ", *known})
    ids = tokenizer.encode_target(text)
    assert tokenizer.decode_target(ids) == normalise(text)
    assert 1 not in ids


@given(st.text() | st.text(st.sampled_from("ab ☃क।▁<s>/\x00\ud800")))
def test_any_text_at_all_gives_ids_that_the_model_has_and_one_eos_at_the_end(tokenizer: Tokenizer, text: str) -> None:
    ids = tokenizer.encode_source(text)
    assert ids[-1] == 3
    assert all(id == 1 or 3 < id < tokenizer.vocab_size for id in ids[:-1])


def test_sentences_are_encoded_as_sentencepiece_encodes_them_whole(tokenizer: Tokenizer, pairs: Pairs) -> None:
    """Ours go word by word; the oracle is the model file itself, read by sentencepiece."""
    theirs = sentencepiece.SentencePieceProcessor(model_proto=tokenizer._models[0])
    for src, tgt in [*pairs, ("The ☃ boy ☃☃sees", "एक☃ लड़का!!"), ("", "")]:
        assert tokenizer.encode_source(src) == [*theirs.encode(normalise(src)), 3]
        assert tokenizer.encode_target(tgt) == [*theirs.encode(normalise(tgt)), 3]


def test_an_unknown_character_becomes_one_unk_and_leaves_its_neighbours_alone(tokenizer: Tokenizer) -> None:
    with_it, without = tokenizer.encode_source("The boy ☃ sees"), tokenizer.encode_source("The boy sees")
    assert with_it.count(1) == 1
    before, after = with_it[: with_it.index(1)], with_it[with_it.index(1) + 1 :]
    assert without in (before + after, before[:-1] + after)  # the space before it may be a piece of its own
    assert tokenizer.decode_source(with_it) == "The boy ⁇ sees"


def test_decoding_leaves_out_pad_bos_and_eos(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode_target("गरम चाय")
    assert tokenizer.decode_target([2, *ids, 0, 0]) == "गरम चाय"
    assert tokenizer.decode_target([]) == ""


def test_pieces_join_into_the_text_with_a_mark_at_every_word(tokenizer: Tokenizer) -> None:
    pieces = tokenizer.source_pieces(tokenizer.encode_source("The boy sees")[:-1])
    assert "".join(pieces) == "▁The▁boy▁sees"


def test_text_is_normalised_before_it_is_encoded(tokenizer: Tokenizer) -> None:
    assert tokenizer.encode_target(" गरम\tचाय|\u200b") == tokenizer.encode_target("गरम चाय।")


def test_forgetting_words_changes_nothing(pairs: Pairs, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = Tokenizer.train(pairs, TextConfig(vocab_size=100))
    expected = [tokenizer.encode_source(src) for src, _ in pairs]
    monkeypatch.setattr("glassformer.text.tokenizer.MAX_REMEMBERED", 3)
    assert [tokenizer.encode_source(src) for src, _ in pairs] == expected


def test_nothing_is_normalised_behind_our_back() -> None:
    """sentencepiece's own rules would make a space of a ZWNJ, and plain letters of a ligature and a full-width W."""
    text = "می\u200cخواهم ﬁsh x² Ｗide क्\u200cष"
    tokenizer = Tokenizer.train([(text, text)] * 3, TextConfig(vocab_size=45))
    assert tokenizer.decode_target(tokenizer.encode_target(text)) == text
    assert tokenizer.encode_target("fish") != tokenizer.encode_target("ﬁsh")


def test_a_very_long_line_is_encoded_whole(tokenizer: Tokenizer) -> None:
    assert tokenizer.encode_source("The boy " * 5000) == tokenizer.encode_source("The boy")[:-1] * 5000 + [3]


def test_separate_vocabularies_have_sizes_of_their_own(pairs: Pairs) -> None:
    tokenizer = Tokenizer.train(pairs, TextConfig(vocab_size=70, vocabulary="separate"))
    assert (tokenizer.vocab_size, tokenizer.tgt_vocab_size) == (70, 70)
    assert tokenizer.source_pieces(range(4, 70)) != tokenizer.target_pieces(range(4, 70))
    assert 1 in tokenizer.encode_source("चाय")
    assert 1 not in tokenizer.encode_target("चाय")


def test_the_source_can_be_put_into_lower_case_and_the_target_not(pairs: Pairs) -> None:
    tokenizer = Tokenizer.train(pairs, TextConfig(vocab_size=120, lowercase_source=True))
    assert tokenizer.encode_source("THE BOY") == tokenizer.encode_source("the boy")
    assert 1 not in tokenizer.encode_source("THE BOY")
    assert 1 in tokenizer.encode_target("THE BOY")
    assert tokenizer.unseen_words("THE BOY") == []


def test_words_that_the_training_text_did_not_have_are_named_once_in_order(tokenizer: Tokenizer) -> None:
    assert tokenizer.unseen_words("The zebra, 3 boys and the zebra sees apple!") == ["zebra", "3", "boys", "and"]


def test_numbers_and_signs_that_cannot_be_read_are_named_too(tokenizer: Tokenizer) -> None:
    assert tokenizer.unseen_words("The boy sees 57 (57!) 🍕🍕 and tea, 3%zebra") == ["57", "🍕🍕", "and", "zebra"]
    assert tokenizer.unseen_words("The boy; sees — tea?! \ufffd\ufffd") == []


def test_a_number_that_can_be_read_is_not_named() -> None:
    tokenizer = Tokenizer.train([("we see 5 of 7 houses", "7 में से 5 घर")] * 3, TextConfig(vocab_size=40))
    assert tokenizer.unseen_words("we see 57 of 75 houses 8") == ["8"]


def test_hindi_words_are_whole_words(pairs: Pairs) -> None:
    hindi_source = Tokenizer.train([(tgt, src) for src, tgt in pairs], TextConfig(vocab_size=120))
    assert hindi_source.unseen_words("लड़का किताबें") == ["किताबें"]


@pytest.mark.parametrize("vocabulary", ["joint", "separate"])
@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_the_order_of_the_pairs_does_not_matter(pairs: Pairs, tmp_path: Path, kind: str, vocabulary: str) -> None:
    config = replace(TextConfig(vocab_size=45), kind=kind, vocabulary=vocabulary)
    if vocabulary == "joint":
        config = replace(config, vocab_size=90)
    Tokenizer.train(pairs, config).save(tmp_path / "one")
    Tokenizer.train(pairs[::-1], config).save(tmp_path / "other")
    assert contents(tmp_path / "one") == contents(tmp_path / "other")


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_another_process_makes_the_same_bytes(pairs: Pairs, tmp_path: Path, kind: str) -> None:
    program = (
        "import json, sys; from pathlib import Path\n"
        "from glassformer.text.tokenizer import TextConfig, Tokenizer\n"
        f"Tokenizer.train(json.load(sys.stdin), TextConfig(vocab_size=90, kind={kind!r})).save(Path(sys.argv[1]))\n"
    )
    for name in ("one", "other"):
        done = subprocess.run(
            [sys.executable, "-c", program, str(tmp_path / name)],
            input=json.dumps(pairs),
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == ""
        assert done.stderr == ""  # sentencepiece would tell all about it
    assert contents(tmp_path / "one") == contents(tmp_path / "other")
    assert contents(tmp_path / "one")["words.txt.gz"][4:8] == bytes(4)  # where gzip puts the time


@pytest.mark.parametrize("vocabulary", ["joint", "separate"])
def test_saved_and_loaded_it_is_the_same(pairs: Pairs, tmp_path: Path, vocabulary: str) -> None:
    config = replace(TextConfig(vocab_size=110, sampling=0.3), vocabulary=vocabulary)
    if vocabulary == "separate":
        config = replace(config, vocab_size=60)
    before = Tokenizer.train(pairs, config)
    before.save(tmp_path)
    after = Tokenizer.load(tmp_path)
    assert after.config == config
    assert (after.vocab_size, after.tgt_vocab_size) == (before.vocab_size, before.tgt_vocab_size)
    for src, tgt in pairs:
        assert after.encode_source(src) == before.encode_source(src)
        assert after.encode_target(tgt) == before.encode_target(tgt)
        assert after.encode_target_sampled(tgt, 5) == before.encode_target_sampled(tgt, 5)
    assert after.unseen_words("The zebra") == before.unseen_words("The zebra") == ["zebra"]
    after.save(tmp_path / "again")
    before.save(tmp_path / "before")
    assert contents(tmp_path / "again") == contents(tmp_path / "before")


def test_a_vocabulary_too_large_for_the_text_is_refused_with_the_largest_that_works(pairs: Pairs) -> None:
    with pytest.raises(VocabularyError, match=r"vocab_size is 9000, but the text allows at most (\d+)") as caught:
        Tokenizer.train(pairs, TextConfig(vocab_size=9000))
    largest = int(str(caught.value).split("at most ")[1].split(":")[0])
    assert Tokenizer.train(pairs, TextConfig(vocab_size=largest)).vocab_size == largest
    with pytest.raises(VocabularyError):
        Tokenizer.train(pairs, TextConfig(vocab_size=largest + 1))


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
@pytest.mark.parametrize("vocab_size", [2**31, 10**30])
def test_a_vocabulary_larger_than_sentencepiece_can_count_is_refused(pairs: Pairs, kind: str, vocab_size: int) -> None:
    config = replace(TextConfig(vocab_size=vocab_size), kind=kind)
    with pytest.raises(VocabularyError, match=f"vocab_size is {vocab_size}, more than any text allows"):
        Tokenizer.train(pairs, config)


def test_a_vocabulary_too_large_for_unigram_is_refused_with_one_that_works(pairs: Pairs) -> None:
    with pytest.raises(VocabularyError, match="allows at most") as caught:
        Tokenizer.train(pairs, TextConfig(vocab_size=9000, kind="unigram"))
    works = int(str(caught.value).split("at most ")[1].split(":")[0])
    assert Tokenizer.train(pairs, TextConfig(vocab_size=works, kind="unigram")).vocab_size == works


def test_a_vocabulary_too_small_for_the_characters_is_refused(pairs: Pairs) -> None:
    with pytest.raises(VocabularyError, match=r"vocab_size is 20, but the single characters .* need \d+"):
        Tokenizer.train(pairs, TextConfig(vocab_size=20))


@pytest.mark.parametrize("nothing", [[], [("", "")], [(" \n", "\u200b")]])
def test_a_text_without_words_is_refused(nothing: Pairs) -> None:
    with pytest.raises(VocabularyError, match="no words"):
        Tokenizer.train(nothing, TextConfig())


@pytest.fixture
def folder(pairs: Pairs, tmp_path: Path) -> Path:
    Tokenizer.train(pairs, TextConfig(vocab_size=100)).save(tmp_path / "tokenizer")
    return tmp_path / "tokenizer"


def assert_refused(folder: Path, *expected: str) -> None:
    with pytest.raises(TokenizerError) as caught:
        Tokenizer.load(folder)
    assert "\n" not in str(caught.value)
    for words in (str(folder), *expected):
        assert words in str(caught.value)


def test_a_folder_that_is_not_there_or_holds_no_tokenizer_is_refused(tmp_path: Path) -> None:
    assert_refused(tmp_path / "gone", "holds no tokenizer", "tokenizer.json")
    assert_refused(tmp_path, "holds no tokenizer", "tokenizer.json")


@pytest.mark.parametrize("name", ["shared.model", "words.txt.gz"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    assert_refused(folder, name, "No such file")


@pytest.mark.parametrize("name", ["shared.model", "words.txt.gz"])
@pytest.mark.parametrize("keep", [0, 0.5, 0.999])
def test_a_truncated_file_is_noticed(folder: Path, name: str, keep: float) -> None:
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: int(keep * len(content))])
    assert_refused(folder, name, "damaged")


def test_an_altered_model_is_noticed(folder: Path) -> None:
    content = bytearray((folder / "shared.model").read_bytes())
    content[len(content) // 2] ^= 1
    (folder / "shared.model").write_bytes(content)
    assert_refused(folder, "shared.model", "damaged")


@pytest.mark.parametrize(
    "said", ["", "{", "[]", "{}", '{"version": 1}', '{"version": 1, "config": {"odd": 1}, "sha256": {}}']
)
def test_a_description_that_is_none_is_refused(folder: Path, said: str) -> None:
    (folder / "tokenizer.json").write_text(said)
    assert_refused(folder, "tokenizer.json")


def test_another_version_is_refused(folder: Path) -> None:
    settings = json.loads((folder / "tokenizer.json").read_text())
    (folder / "tokenizer.json").write_text(json.dumps({**settings, "version": 99}))
    assert_refused(folder, "version 99", "expected 1")
