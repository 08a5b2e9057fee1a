"""How a vocabulary is learnt: from all words, in bounded memory."""

import pytest
import sentencepiece

from glassformer.text import vocabulary
from glassformer.text.vocabulary import Learner, words_of


def learner_of(texts: list[str]) -> Learner:
    learner = Learner("bpe")
    for text in texts:
        learner.add(text)
    return learner


def test_merges_are_learnt_from_the_most_frequent_neighbours() -> None:
    """By hand: in "hug hug hug pug" u-g is the most frequent pair, so it is the first merge."""
    pieces = sentencepiece.SentencePieceProcessor(model_proto=learner_of(["hug hug", "hug pug"]).learn(10))
    assert pieces.id_to_piece(4) == "ug"


def test_bpe_from_counted_words_is_as_good_as_sentencepieces_own_from_lines(pairs: list[tuple[str, str]]) -> None:
    import io

    lines = [text for pair in pairs for text in pair]
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=file,
        vocab_size=100,
        model_type="bpe",
        character_coverage=1.0,
        normalization_rule_name="identity",
        pad_id=0,
        unk_id=1,
        bos_id=2,
        eos_id=3,
        minloglevel=2,
    )
    theirs = sentencepiece.SentencePieceProcessor(model_proto=file.getvalue())
    ours = sentencepiece.SentencePieceProcessor(model_proto=learner_of(lines).learn(100))
    n_theirs, n_ours = (sum(map(len, model.encode(lines))) for model in (theirs, ours))
    assert n_ours <= 1.02 * n_theirs


def test_words_are_letters_with_their_vowel_signs_and_joiners() -> None:
    assert words_of("मुझे पिज़्ज़ा, 2 don't क्\u200dष।") == ["मुझे", "पिज़्ज़ा", "don", "t", "क्\u200dष"]


def test_the_words_seen_are_the_most_frequent_ones_in_order_of_the_alphabet(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = learner_of(["c b, a b", "b. c (c) 7"])
    assert learner.words() == ["a", "b", "c"]
    monkeypatch.setattr(vocabulary, "MAX_KNOWN_WORDS", 2)
    assert learner.words() == ["b", "c"]


def test_past_a_limit_words_seen_once_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary, "MAX_DIFFERENT_WORDS", 3)
    assert learner_of(["a a b", "c", "d", "a"]).words() == ["a"]
