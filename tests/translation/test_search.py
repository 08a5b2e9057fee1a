"""Beam search against every sequence there is, against the same search on paper, and by hand."""

import math
from collections.abc import Sequence

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from glassformer.translation.config import Penalty, SearchConfig, Stopping
from glassformer.translation.search import Hypothesis, Marks, beam_search, is_settled

from .tables import END, MARKS, PAD, Table, TableStepper, beam_search_on_paper, every_hypothesis

seeds = st.integers(0, 10**6)
penalties = st.sampled_from(["gnmt", "power"])
stoppings = st.sampled_from(["bound", "count"])
alphas = st.sampled_from([0.0, 0.3, 0.6, 1.0, 1.7])
flatnesses = st.sampled_from([0.4, 1.0, 3.0])


def assert_same(found: Sequence[Hypothesis], expected: Sequence[Hypothesis]) -> None:
    assert [hypothesis.ids for hypothesis in found] == [hypothesis.ids for hypothesis in expected]
    for mine, oracle in zip(found, expected, strict=True):
        assert mine.score == pytest.approx(oracle.score)
        assert mine.logprob == pytest.approx(oracle.logprob)


@given(seeds, penalties, stoppings, alphas, flatnesses, st.integers(1, 4), st.integers(1, 3))
def test_a_beam_wide_enough_finds_the_best_of_all_sequences(
    seed: int, penalty: Penalty, stopping: Stopping, alpha: float, flatness: float, limit: int, min_length: int
) -> None:
    table = Table(seed, 5, flatness=flatness)
    config = SearchConfig(
        beam_width=4**4, n_best=7, penalty=penalty, alpha=alpha, stopping=stopping, min_length=min_length
    )
    expected = sorted(every_hypothesis(table, 0, limit, config), key=lambda hypothesis: -hypothesis.score)[:7]
    assert_same(beam_search(TableStepper(table, [0]), [limit], MARKS, config)[0], expected)


@settings(max_examples=100)
@given(seeds, penalties, stoppings, alphas, flatnesses, st.integers(1, 5), st.integers(1, 4), st.data())
def test_a_batch_of_narrow_beams_finds_what_the_same_search_finds_on_paper(
    seed: int,
    penalty: Penalty,
    stopping: Stopping,
    alpha: float,
    flatness: float,
    width: int,
    min_length: int,
    data: st.DataObject,
) -> None:
    table = Table(seed, 7, flatness=flatness)
    limits = data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=5))
    config = SearchConfig(
        beam_width=width,
        n_best=data.draw(st.integers(1, width)),
        penalty=penalty,
        alpha=alpha,
        stopping=stopping,
        min_length=min_length,
    )
    found = beam_search(TableStepper(table, range(len(limits))), limits, MARKS, config)
    for sentence, limit in enumerate(limits):
        assert_same(found[sentence], beam_search_on_paper(table, sentence, limit, config))


@given(seeds, penalties, alphas, flatnesses)
def test_stopping_by_the_bound_loses_nothing_of_the_n_best(
    seed: int, penalty: Penalty, alpha: float, flatness: float
) -> None:
    table = Table(seed, 7, flatness=flatness)
    config = SearchConfig(beam_width=3, n_best=2, penalty=penalty, alpha=alpha)
    found = beam_search(TableStepper(table, [0]), [9], MARKS, config)[0]
    assert_same(found, beam_search_on_paper(table, 0, 9, config, to_the_end=True))


class Script:
    """A model given by hand: probabilities of the next token after each prefix; what is not given is impossible."""

    def __init__(self, probabilities: dict[tuple[int, ...], dict[int, float]], vocab_size: int = 4) -> None:
        self.probabilities, self.vocab_size = probabilities, vocab_size
        self.rows: list[tuple[int, ...]] = [()]

    def start(self) -> Tensor:
        return self._look_up()

    def advance(self, tokens: Tensor, parents: Tensor | None) -> Tensor:
        chosen = range(len(self.rows)) if parents is None else parents.tolist()
        self.rows = [(*self.rows[i], token) for i, token in zip(chosen, tokens.tolist(), strict=True)]
        return self._look_up()

    def keep(self, rows: Tensor) -> None:
        raise AssertionError("the only sentence left")

    def _look_up(self) -> Tensor:
        table = torch.full((len(self.rows), self.vocab_size), -math.inf, dtype=torch.float64)
        for row, prefix in enumerate(self.rows):
            for token, probability in self.probabilities.get(prefix, {}).items():
                table[row, token] = math.log(probability)
        return table


# Two ways to go: "a" and the end (0.5 x 0.9 = 0.45), or "b b b" and the end (0.5 x 1 x 1 x 0.8 = 0.40).
A, B = 2, 3
SHORT_OR_LONG = {
    (): {A: 0.5, B: 0.5},
    (A,): {END: 0.9, A: 0.1},
    (B,): {B: 1.0},
    (B, B): {B: 1.0},
    (B, B, B): {END: 0.8, A: 0.2},
}


@pytest.mark.parametrize(
    ("penalty", "alpha", "winner", "score"),
    [
        # No penalty: the likelier wins, log 0.45.
        ("gnmt", 0.0, [A, END], -0.798508),
        # gnmt: n = 2 divides by 7/6, n = 4 by 9/6. log 0.45 / (7/6) = -0.684435; log 0.40 / (9/6) = -0.610860.
        ("gnmt", 1.0, [B, B, B, END], -0.610860),
        # gnmt, alpha 0.5: -0.798508 / 1.080123 = -0.739275; -0.916291 / 1.224745 = -0.748148.
        ("gnmt", 0.5, [A, END], -0.739275),
        # power: n = 2 divides by 2, n = 4 by 4. -0.399254 and -0.229073.
        ("power", 1.0, [B, B, B, END], -0.229073),
        # power, alpha 0.1: -0.798508 / 1.071773 = -0.745034; -0.916291 / 1.148698 = -0.797678.
        ("power", 0.1, [A, END], -0.745034),
    ],
)
def test_length_penalties_by_hand(penalty: Penalty, alpha: float, winner: list[int], score: float) -> None:
    config = SearchConfig(beam_width=2, penalty=penalty, alpha=alpha)
    (best,) = beam_search(Script(SHORT_OR_LONG), [10], MARKS, config)[0]
    assert best.ids == winner
    assert best.score == pytest.approx(score, abs=2e-6)


def test_the_bound_counts_on_the_longest_a_beam_may_become() -> None:
    # "a END" ends at log 0.6 / 2 = -0.255; "b b" then stands at log 0.4 = -0.916: -0.458 at its length of two, but
    # -0.183 if it came to five tokens for nothing, as it does.
    late = {
        (): {A: 0.6, B: 0.4},
        (A,): {END: 1.0},
        (B,): {B: 1.0},
        (B, B): {B: 1.0},
        (B, B, B): {B: 1.0},
        (B, B, B, B): {END: 1.0},
    }
    config = SearchConfig(beam_width=2, penalty="power", alpha=1.0)
    script = Script(late)
    assert beam_search(script, [5], MARKS, config)[0][0].ids == [B, B, B, B, END]
    # With a limit of three tokens it can reach no more than -0.305, and is not asked to go on.
    script = Script(late)
    assert beam_search(script, [3], MARKS, config)[0][0].ids == [A, END]
    assert max(len(prefix) for prefix in script.rows) == 1


def test_stopping_by_count_ends_when_as_many_as_the_beam_is_wide_have_ended() -> None:
    # "END" 0.3 and "a END" 0.36 end first; "a a END" at 0.24 would score best by far under this penalty.
    early = {(): {A: 0.7, END: 0.3}, (A,): {END: 0.36 / 0.7, A: 0.24 / 0.7}, (A, A): {END: 1.0}}
    counted = SearchConfig(beam_width=2, n_best=2, penalty="power", alpha=3.0, stopping="count")
    bounded = SearchConfig(beam_width=2, n_best=2, penalty="power", alpha=3.0, stopping="bound")
    assert [found.ids for found in beam_search(Script(early), [5], MARKS, counted)[0]] == [[A, END], [END]]
    assert [found.ids for found in beam_search(Script(early), [5], MARKS, bounded)[0]] == [[A, A, END], [A, END]]


def test_stopping_by_count_counts_the_beam_and_not_what_is_given_back() -> None:
    early = {(): {A: 0.7, END: 0.3}, (A,): {END: 0.36 / 0.7, A: 0.24 / 0.7}, (A, A): {END: 1.0}}
    config = SearchConfig(beam_width=2, n_best=1, penalty="power", alpha=3.0, stopping="count")
    assert beam_search(Script(early), [5], MARKS, config)[0][0].ids == [A, END]


def test_a_hypothesis_that_is_cut_has_no_end_and_exactly_its_limit() -> None:
    config = SearchConfig(beam_width=2, n_best=2)
    found = beam_search(Script(SHORT_OR_LONG), [3], MARKS, config)[0]
    assert [hypothesis.ids for hypothesis in found] == [[B, B, B], [A, END]]


def test_no_end_before_the_least_length() -> None:
    config = SearchConfig(beam_width=2, alpha=0.0, min_length=3)
    assert beam_search(Script(SHORT_OR_LONG), [10], MARKS, config)[0][0].ids == [B, B, B, END]


def test_a_vocabulary_smaller_than_the_beam_gives_no_hypothesis_that_cannot_be() -> None:
    certain = {(): {A: 1.0}, (A,): {END: 1.0}}
    found = beam_search(Script(certain), [5], MARKS, SearchConfig(beam_width=9, n_best=9))[0]
    assert found == [Hypothesis([A, END], 0.0, 0.0)]


def test_an_end_whose_id_is_0_is_not_taken_for_what_fills_a_beam_up() -> None:
    # A beam of 9 over 4 tokens: most of it is filling, which has the id 0 as well.
    script = Script({(): {A: 0.5, 0: 0.5}, (A,): {0: 1.0}, (0,): {A: 1.0}, (0, A): {0: 1.0}})
    found = beam_search(script, [5], Marks(end=0), SearchConfig(beam_width=9, n_best=9, alpha=0.0))[0]
    assert sorted(hypothesis.ids for hypothesis in found) == [[0], [A, 0]]


@given(seeds, st.integers(1, 4), flatnesses)
def test_what_has_ended_is_never_continued_and_pads_are_never_produced(seed: int, width: int, flatness: float) -> None:
    stepper = TableStepper(Table(seed, 6, flatness=flatness), range(3))
    config = SearchConfig(beam_width=width, n_best=width)
    found = beam_search(stepper, [8, 5, 7], MARKS, config)
    for hypothesis in (hypothesis for hypotheses in found for hypothesis in hypotheses):
        assert END not in hypothesis.ids[:-1]
        assert PAD not in hypothesis.ids
    assert all(END not in ids and PAD not in ids for _, ids in stepper.asked)


def test_a_sentence_that_is_settled_leaves_the_batch_and_the_others_go_on() -> None:
    stepper = TableStepper(Table(11, 7), range(4))
    beam_search(stepper, [2, 9, 1, 6], MARKS, SearchConfig(beam_width=2, stopping="count", min_length=6))
    assert stepper.left[:2] == [2, 0]
    lengths = {sentence: max(len(ids) for i, ids in stepper.asked if i == sentence) for sentence in range(4)}
    assert lengths[2] == 0
    assert lengths[0] == 1
    assert lengths[1] >= 5


@given(seeds, stoppings, st.integers(1, 4))
def test_neighbours_in_the_batch_change_nothing(seed: int, stopping: Stopping, width: int) -> None:
    table = Table(seed, 6)
    config = SearchConfig(beam_width=width, n_best=width, stopping=stopping)
    limits = [7, 3, 9]
    together = beam_search(TableStepper(table, range(3)), limits, MARKS, config)
    for sentence, limit in enumerate(limits):
        assert together[sentence] == beam_search(TableStepper(table, [sentence]), [limit], MARKS, config)[0]


def test_stopping_present_weighs_the_best_open_beam_as_it_stands() -> None:
    config = SearchConfig(beam_width=2, penalty="power", alpha=1.0, stopping="present")
    ended = [Hypothesis([5, 3], -0.5, -1.0), Hypothesis([6, 3], -0.6, -1.2)]
    assert is_settled(ended, best_open=-1.3, n_tokens=2, limit=10, config=config)  # -0.65 now; -0.13 one day
    assert not is_settled(ended, best_open=-1.1, n_tokens=2, limit=10, config=config)  # -0.55 beats -0.6
    assert not is_settled(ended[:1], best_open=-9.0, n_tokens=2, limit=10, config=config)  # the beam is wider than one
