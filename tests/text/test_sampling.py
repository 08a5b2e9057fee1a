"""Subword regularisation: pure, faithful to the text, and distributed as sentencepiece's own."""

import math
import random
from collections import Counter
from itertools import islice, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassformer.text import sampling
from glassformer.text.config import Kind, TextConfig
from glassformer.text.sampling import Sampler, uniform
from glassformer.text.tokenizer import Tokenizer

# Stems and endings, so that there is more than one split.
ENGLISH = ["".join(word) for word in product(("play", "walk", "paint", "look", "talk"), ("", "s", "ed", "ing", "er"))]
HINDI = ["".join(word) for word in product(("लड़", "देख", "चल", "बोल", "पढ़"), ("ता", "ती", "ते", "ना", "कर"))]
TEXT = "talks walking looked players painted playing"


def learn(kind: Kind) -> Tokenizer:
    dice = random.Random(1)
    pairs = [(" ".join(dice.choices(ENGLISH, k=5)), " ".join(dice.choices(HINDI, k=5))) for _ in range(300)]
    return Tokenizer.train(pairs, TextConfig(vocab_size=70, kind=kind))


@pytest.fixture(scope="module", params=["bpe", "unigram"])
def plain(request: pytest.FixtureRequest) -> Tokenizer:
    return learn(request.param)


@pytest.fixture(scope="module")
def sampled(plain: Tokenizer) -> Tokenizer:
    # So weak a preference that unigram takes unlikely splits too: of a text this small it has no others.
    return plain.with_sampling(0.3 if plain.config.kind == "bpe" else 0.01)


@given(seed=st.integers(0, 2**63))
def test_whatever_the_seed_the_text_stays_the_same(sampled: Tokenizer, seed: int) -> None:
    ids = sampled.encode_target_sampled(TEXT, seed)
    assert sampled.decode_target(ids) == TEXT
    assert ids[-1] == 3


def test_different_seeds_give_different_splits(sampled: Tokenizer) -> None:
    assert len({tuple(sampled.encode_target_sampled(TEXT, seed)) for seed in range(50)}) > 10


def test_the_split_depends_on_text_and_seed_and_not_on_what_came_before(sampled: Tokenizer) -> None:
    fresh = [sampled.with_sampling(sampled.config.sampling).encode_source_sampled(word, 7) for word in ENGLISH]
    for seed in range(20):
        sampled.encode_source_sampled(" ".join(ENGLISH), seed)
    assert [sampled.encode_source_sampled(word, 7) for word in ENGLISH] == fresh


def test_forgetting_what_was_kept_changes_nothing(sampled: Tokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [sampled.encode_source_sampled(" ".join(ENGLISH), seed) for seed in range(9)]
    monkeypatch.setattr(sampling, "MAX_WORDS_KEPT", 2)
    forgetful = sampled.with_sampling(sampled.config.sampling)
    assert [forgetful.encode_source_sampled(" ".join(ENGLISH), seed) for seed in range(9)] == expected


def test_without_sampling_it_is_the_best_split(plain: Tokenizer) -> None:
    assert plain.encode_target_sampled(TEXT, 1) == plain.encode_target(TEXT)


def test_unknown_characters_and_special_ids_stay_where_they_are(sampled: Tokenizer) -> None:
    for seed in range(20):
        ids = sampled.resample_target([2, *sampled.encode_target("बो☃लता चलकर"), 0, 0], seed)
        assert ids[0] == 2
        assert ids[-3:] == [3, 0, 0]
        assert ids.count(1) == 1
        assert sampled.decode_target(ids) == "बो ⁇ लता चलकर"
    assert sampled.resample_target([], 1) == []


@pytest.fixture(scope="module")
def bpe() -> Tokenizer:
    return learn("bpe")


@pytest.fixture(scope="module")
def merges(bpe: Tokenizer) -> Sampler:
    return Sampler(bpe._source, "bpe", 0.5)


def test_bpe_that_leaves_out_nothing_merges_as_sentencepiece_does(bpe: Tokenizer, merges: Sampler) -> None:
    for word in ENGLISH + HINDI:
        expected = bpe._source.encode(word, out_type=str)
        assert merges.split_by_merges(list(f"▁{word}"), 0.0, uniform(0)) == expected


def test_bpe_by_hand(bpe: Tokenizer) -> None:
    """In abcd the best merge is b-c; a-b was possible before that and is not after it; then bc-d, then a-bcd."""
    sampler = Sampler(bpe._source, "bpe", 0.5)
    for vocabulary, expected in (
        (["bc", "ab", "cd"], ["a", "bc", "d"]),
        (["bc", "ab", "bcd"], ["a", "bcd"]),
        (["bc", "ab", "bcd", "abcd"], ["abcd"]),
        (["ab", "cd", "bc"], ["ab", "cd"]),
    ):
        sampler._scores = {piece: (-float(rank), rank) for rank, piece in enumerate([*vocabulary, *"abcd"])}
        assert sampler.split_by_merges(list("abcd"), 0.0, uniform(0)) == expected


def test_bpe_that_leaves_out_everything_gives_characters(merges: Sampler) -> None:
    assert merges.split_by_merges(list("▁playing"), 1.0, uniform(0)) == list("▁playing")


@pytest.mark.parametrize("dropout", [0.1, 0.5])
def test_bpe_splits_are_as_frequent_as_sentencepieces_own(bpe: Tokenizer, merges: Sampler, dropout: float) -> None:
    dice = uniform(11)
    for word in ("walkplayer", "चलबोलकर"):
        ours = [tuple(merges.split_by_merges(list(f"▁{word}"), dropout, dice)) for _ in range(N_DRAWS)]
        theirs = Counter(
            tuple(bpe._source.encode(word, out_type=str, enable_sampling=True, alpha=dropout, nbest_size=-1))
            for _ in range(N_DRAWS)
        )
        assert len(theirs) > 2
        assert distance(ours, {way: count / N_DRAWS for way, count in theirs.items()}) < 0.1


def test_what_is_drawn_with_a_shortcut_is_what_is_drawn_without(bpe: Tokenizer) -> None:
    """Where no merge is left out nothing is merged anew: that must not change what comes out."""
    short, long = bpe.with_sampling(0.2), bpe.with_sampling(0.2)
    long._target_sampler._leaves_something_out = lambda word, dice: True  # type: ignore[method-assign]
    for seed in range(30):
        assert short.encode_target_sampled(TEXT, seed) == long.encode_target_sampled(TEXT, seed)


def test_numbers_are_uniform_and_seeds_next_to_each_other_unrelated() -> None:
    numbers = [next(uniform(seed)) for seed in range(2000)] + list(islice(uniform(1), 2000))
    assert all(0 <= number < 1 for number in numbers)
    counts = Counter(int(10 * number) for number in numbers)
    assert sum((counts[tenth] - 400) ** 2 / 400 for tenth in range(10)) < 27.9  # chi-square, one in a thousand


@pytest.mark.parametrize("sharpness", [0.2, 1.0])
def test_unigram_splits_are_as_probable_as_their_scores_say(bpe: Tokenizer, sharpness: float) -> None:
    """The oracle lists all splits of a word and weighs each."""
    sampler = Sampler(bpe._source, "unigram", sharpness)
    scores = {"▁": -4.0, "a": -2.5, "b": -3.0, "▁a": -2.0, "ab": -2.2, "ba": -4.1, "aba": -5.0, "▁ab": -3.9}
    sampler._scores = {piece: (score, number) for number, (piece, score) in enumerate(scores.items(), start=4)}
    word = "▁abab"
    weights = {}
    for cuts in product([False, True], repeat=len(word) - 1):
        marked = "".join(letter + "/" * cut for letter, cut in zip(word, [*cuts, False], strict=True))
        pieces = tuple(marked.split("/"))
        if all(piece in scores for piece in pieces):
            weights[pieces] = math.exp(sharpness * sum(scores[piece] for piece in pieces))
    expected = {pieces: weight / sum(weights.values()) for pieces, weight in weights.items()}
    assert len(expected) > 5
    dice = uniform(5)
    drawn = [tuple(sampler.split_by_scores(list(word), sharpness, dice)) for _ in range(N_DRAWS)]
    assert distance(drawn, expected) < 0.06


N_DRAWS = 4000


def distance(drawn: list[tuple[str, ...]], expected: dict[tuple[str, ...], float]) -> float:
    """Half the summed difference of the probabilities: about 0.03 where the draws are from what is expected."""
    found = Counter(drawn)
    return sum(abs(found[way] / len(drawn) - expected.get(way, 0.0)) for way in {*found, *expected}) / 2
