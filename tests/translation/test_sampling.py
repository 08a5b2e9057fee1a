"""Greedy search and drawing, on tables of probabilities."""

import math
from collections import Counter

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from glassformer.translation.config import SearchConfig
from glassformer.translation.sampling import draw_tokens, greedy_search, sample
from glassformer.translation.search import beam_search

from .tables import END, MARKS, PAD, Table, TableStepper

seeds = st.integers(0, 10**6)


@given(seeds, st.integers(1, 4), st.lists(st.integers(1, 9), min_size=1, max_size=4))
def test_greedy_takes_the_likeliest_token_each_time(seed: int, min_length: int, limits: list[int]) -> None:
    table = Table(seed, 6)
    config = SearchConfig(beam_width=1, min_length=min_length, alpha=1.3)
    found = greedy_search(TableStepper(table, range(len(limits))), limits, MARKS, config)
    for sentence, limit in enumerate(limits):
        ids: list[int] = []
        while len(ids) < limit and ids[-1:] != [END]:
            log_probs = table.log_probs(sentence, ids)
            allowed = [t for t in range(6) if t != PAD and (t != END or len(ids) + 1 >= min_length)]
            ids.append(max(allowed, key=lambda token: log_probs[token]))
        (best,) = found[sentence]
        assert best.ids == ids
        assert best.logprob == pytest.approx(table.logprob(sentence, ids))
        assert best.score == pytest.approx(config.penalise(best.logprob, len(ids)))


@given(seeds, st.sampled_from([0.0, 0.6, 1.5]), st.lists(st.integers(1, 8), min_size=1, max_size=4))
def test_a_beam_of_one_that_stops_at_the_first_end_is_greedy(seed: int, alpha: float, limits: list[int]) -> None:
    table = Table(seed, 6)
    config = SearchConfig(beam_width=1, alpha=alpha, stopping="count")
    beam = beam_search(TableStepper(table, range(len(limits))), limits, MARKS, config)
    greedy = greedy_search(TableStepper(table, range(len(limits))), limits, MARKS, config)
    assert [found[0].ids for found in beam] == [found[0].ids for found in greedy]
    assert [found[0].score for found in beam] == pytest.approx([found[0].score for found in greedy])


@given(seeds, st.integers(1, 3))
def test_what_is_drawn_depends_on_the_sentence_and_its_seed_and_not_on_its_neighbours(seed: int, n_best: int) -> None:
    table = Table(seed, 9)
    config = SearchConfig(temperature=1.2, n_best=n_best)
    limits, own_seeds = [7, 3, 9], [11, 12, 13]
    together = sample(TableStepper(table, range(3)), limits, MARKS, config, own_seeds)
    for i in range(3):
        assert sample(TableStepper(table, [i]), [limits[i]], MARKS, config, [own_seeds[i]])[0] == together[i]


@given(seeds)
def test_a_drawn_hypothesis_has_the_models_own_log_probability(seed: int) -> None:
    table = Table(seed, 9)
    config = SearchConfig(temperature=0.5, top_k=4, top_p=0.9, n_best=3, alpha=1.0, penalty="power")
    (found,) = sample(TableStepper(table, [0]), [8], MARKS, config, [seed])
    assert len(found) == 3
    for hypothesis in found:
        assert PAD not in hypothesis.ids
        assert END not in hypothesis.ids[:-1]
        assert len(hypothesis.ids) == 8 or hypothesis.ids[-1] == END
        assert hypothesis.logprob == pytest.approx(table.logprob(0, hypothesis.ids))
        assert hypothesis.score == pytest.approx(hypothesis.logprob / len(hypothesis.ids))
    assert [hypothesis.score for hypothesis in found] == sorted((h.score for h in found), reverse=True)


def drawn(probabilities: list[float], config: SearchConfig, n: int = 4000) -> dict[int, float]:
    """How often each token is drawn, out of many random numbers spread evenly."""
    log_probs = torch.tensor(probabilities).log().expand(1, n, -1)
    randoms = ((torch.arange(n) + 0.5) / n)[None]
    counts = Counter(draw_tokens(log_probs, randoms, config)[0].tolist())
    return {token: count / n for token, count in sorted(counts.items())}


def test_tokens_are_drawn_as_often_as_their_probability_says() -> None:
    assert drawn([0.5, 0.2, 0.3], SearchConfig(temperature=1.0)) == pytest.approx({0: 0.5, 1: 0.2, 2: 0.3}, abs=1e-3)


def test_temperature_by_hand() -> None:
    # At temperature 1/2 chances are squared: 0.64 and 0.04, which is 16 to 1.
    assert drawn([0.8, 0.2], SearchConfig(temperature=0.5)) == pytest.approx({0: 16 / 17, 1: 1 / 17}, abs=1e-3)


def test_top_k_keeps_the_likeliest() -> None:
    assert drawn([0.1, 0.4, 0.2, 0.3], SearchConfig(temperature=1.0, top_k=2)) == pytest.approx(
        {1: 4 / 7, 3: 3 / 7}, abs=1e-3
    )
    assert len(drawn([0.1, 0.4, 0.2, 0.3], SearchConfig(temperature=1.0, top_k=9))) == 4


def test_top_p_keeps_the_fewest_that_reach_it() -> None:
    # 0.4 alone does not reach 0.6, 0.4 + 0.3 does.
    assert drawn([0.1, 0.4, 0.2, 0.3], SearchConfig(temperature=1.0, top_p=0.6)) == pytest.approx(
        {1: 4 / 7, 3: 3 / 7}, abs=1e-3
    )
    assert drawn([0.1, 0.4, 0.2, 0.3], SearchConfig(temperature=1.0, top_p=0.3)) == {1: 1.0}


@pytest.mark.parametrize("random", [0.0, 1 - 2**-24])
def test_the_ends_of_the_random_numbers_never_draw_what_is_impossible(random: float) -> None:
    log_probs = torch.tensor([[[-math.inf, 0.0, -math.inf]]])
    config = SearchConfig(temperature=1.0)
    assert draw_tokens(log_probs, torch.tensor([[random]]), config).tolist() == [[1]]
