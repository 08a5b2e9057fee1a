"""Which sentences a step trains on: all of them, once an epoch, wherever one begins and however many share the work."""

from collections import Counter

import pytest
import torch

from glassformer.data.batch import Batch
from glassformer.text.config import TextConfig
from glassformer.text.tokenizer import Tokenizer
from glassformer.training.distributed import Team
from glassformer.training.feed import Feed, ListedSentences, Portion, all_batches

from .conftest import ORDER, Pairs


def feed(pairs: Pairs, *, accumulate: int = 1, team: Team = Team(), seed: int = 4) -> Feed:  # noqa: B008
    return Feed(ListedSentences(pairs), ORDER, seed=seed, accumulate=accumulate, team=team)


def walk(feed: Feed, n_portions: int) -> list[tuple[tuple[int, int], Portion]]:
    """The first portions, each with the place where it begins."""
    place, found = (0, 0), []
    for _ in range(n_portions):
        portion = feed.portion(*place)
        found.append((place, portion))
        place = portion.next_epoch, portion.next_position
    return found


def targets(batches: list[Batch]) -> Counter[tuple[int, ...]]:
    rows = [row for batch in batches for row in batch.tgt_out.tolist()]
    return Counter(tuple(id for id in row if id) for row in rows)


def same(one: Portion, other: Portion) -> bool:
    if one[1:] != other[1:] or len(one.batches) != len(other.batches):
        return False
    pairs = zip(one.batches, other.batches, strict=True)
    return all(torch.equal(a, b) for first, second in pairs for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("accumulate", [1, 3])
def test_an_epoch_has_every_sentence_once(pairs: Pairs, accumulate: int) -> None:
    portions = walk(feed(pairs, accumulate=accumulate), 60)
    for epoch in (0, 1):
        batches = [batch for (its_epoch, _), portion in portions for batch in portion.batches if its_epoch == epoch]
        assert targets(batches) == Counter(tuple(target) for _, target in pairs)


@pytest.mark.parametrize("accumulate", [1, 3])
def test_any_step_can_be_asked_for_without_those_before_it(pairs: Pairs, accumulate: int) -> None:
    for place, portion in walk(feed(pairs, accumulate=accumulate), 25):
        assert same(feed(pairs, accumulate=accumulate).portion(*place), portion)


def test_a_step_takes_as_many_batches_as_it_accumulates_and_the_last_of_an_epoch_what_is_left(pairs: Pairs) -> None:
    portions = [portion for (epoch, _), portion in walk(feed(pairs, accumulate=4), 12) if epoch == 0]
    n_batches = [len(portion.batches) for portion in portions]
    assert set(n_batches[:-1]) == {4}
    assert 1 <= n_batches[-1] <= 4
    assert (portions[-1].next_epoch, portions[-1].next_position) == (1, 0)


def test_the_processes_of_a_team_share_each_batch_between_them(pairs: Pairs) -> None:
    whole = [portion for _, portion in walk(feed(pairs), 12)]
    shares = [[p for _, p in walk(feed(pairs, team=Team(rank=rank, size=3)), 12)] for rank in range(3)]
    for portion, *parts in zip(whole, *shares, strict=True):
        assert sum((targets(part.batches) for part in parts), Counter()) == targets(portion.batches)
        assert {part[1:] for part in parts} == {portion[1:]}


def test_a_process_may_have_nothing_to_do(pairs: Pairs) -> None:
    lonely = feed(pairs[:1], team=Team(rank=1, size=2)).portion(0, 0)
    assert lonely.batches == []
    assert (lonely.next_epoch, lonely.next_position) == (1, 0)


def test_another_seed_or_epoch_gives_another_order(pairs: Pairs) -> None:
    first = feed(pairs).portion(0, 0)
    assert not same(first, feed(pairs, seed=5).portion(0, 0))
    assert not same(first, feed(pairs).portion(1, 0))


def test_other_splits_are_used_unless_they_are_too_long_for_the_model(pairs: Pairs) -> None:
    tokenizer = Tokenizer.train([("abab baba", "baab abba")] * 9, TextConfig(vocab_size=11, sampling=0.9))
    sentences = ListedSentences([(tokenizer.encode_source("abab"), tokenizer.encode_target("abba"))])
    shortest = len(sentences.src(0))
    lengths = set()
    for epoch in range(20):
        free, bound = (
            Feed(sentences, ORDER, seed=1, sampler=tokenizer, max_length=limit).portion(epoch, 0).batches[0]
            for limit in (None, shortest)
        )
        lengths.add(free.src.size(1))
        assert bound.src.tolist() == [sentences.src(0).tolist()]
    assert max(lengths) > shortest


def test_a_place_beyond_the_end_is_refused(pairs: Pairs) -> None:
    with pytest.raises(ValueError, match="no batch at position 5000"):
        feed(pairs).portion(0, 5000)


def test_no_sentences_are_refused() -> None:
    with pytest.raises(ValueError, match="not one sentence"):
        feed([])


@pytest.mark.parametrize("accumulate", [1, 3])
def test_the_number_of_steps_is_known_before_the_first(pairs: Pairs, accumulate: int) -> None:
    counted = sum(epoch == 0 for (epoch, _), _ in walk(feed(pairs, accumulate=accumulate), 40))
    assert feed(pairs, accumulate=accumulate).steps_per_epoch() == counted


def test_validation_has_every_sentence_once_and_always_in_the_same_order(pairs: Pairs) -> None:
    first, second = (all_batches(ListedSentences(pairs), ORDER) for _ in range(2))
    assert targets(first) == Counter(tuple(target) for _, target in pairs)
    assert all(torch.equal(a.src, b.src) for a, b in zip(first, second, strict=True))
