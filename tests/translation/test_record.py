"""The record of a search: every candidate and what became of it, as on paper; and the search is the same without it."""

import math
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassformer.translation.config import Penalty, SearchConfig, Stopping
from glassformer.translation.record import GREEDY_CANDIDATES, START, Recorder
from glassformer.translation.sampling import greedy_search
from glassformer.translation.search import Hypothesis, beam_search

from .tables import END, MARKS, PAD, Table, TableStepper
from .test_search import SHORT_OR_LONG, A, B, Script

seeds = st.integers(0, 10**6)
alphas = st.sampled_from([0.0, 0.6, 1.7])


class Candidate(NamedTuple):
    """A node, with all its tokens."""

    step: int
    ids: tuple[int, ...]
    logprob: float
    state: str


def record_beam(table: Table, limit: int, config: SearchConfig) -> tuple[list[Hypothesis], Recorder]:
    recorder = Recorder(config, END, limit)
    return beam_search(TableStepper(table, [0]), [limit], MARKS, config, recorder)[0], recorder


def ids_of(recorder: Recorder, place: int) -> tuple[int, ...]:
    """The tokens from the start to a node, by its parents."""
    if place == START:
        return ()
    node = recorder.nodes[place]
    assert node.parent < place
    assert node.parent == START or recorder.nodes[node.parent].state == "kept"
    return (*ids_of(recorder, node.parent), node.token)


def candidates_of(recorder: Recorder) -> list[Candidate]:
    return [
        Candidate(node.step, ids_of(recorder, place), node.logprob, node.state)
        for place, node in enumerate(recorder.nodes)
    ]


def record_on_paper(table: Table, limit: int, config: SearchConfig) -> list[Candidate]:
    """Every candidate among the 2 W best of each step, with lists."""
    width = config.beam_width
    beams: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    ended: list[float] = []
    found: list[Candidate] = []
    for step in range(1, limit + 1):
        candidates = [
            (total + gain, (*ids, token))
            for total, ids in beams
            for token, gain in enumerate(table.log_probs(0, ids))
            if token != PAD and not (token == END and step < config.min_length)
        ]
        best = sorted(candidates, key=lambda candidate: -candidate[0])[: 2 * width]
        beams = [candidate for candidate in best if candidate[1][-1] != END][:width]
        for rank, (total, ids) in enumerate(best):
            if rank < width and (ids[-1] == END or step == limit):
                state = "ended"
                ended.append(config.penalise(total, step))
            elif (total, ids) in beams and step < limit:
                state = "kept"
            else:
                state = "pruned"
            found.append(Candidate(step, ids, total, state))
        ended.sort(reverse=True)
        can_win = max((config.penalise(total, limit) for total, _ in beams), default=-math.inf)
        if config.stopping == "count" and len(ended) >= width:
            break
        stands = max((config.penalise(total, step) for total, _ in beams), default=-math.inf)
        if config.stopping == "present" and len(ended) >= width and ended[width - 1] >= stands:
            break
        if config.stopping == "bound" and len(ended) >= config.n_best and ended[config.n_best - 1] >= can_win:
            break
    return found


@settings(max_examples=150)
@given(
    seeds,
    st.sampled_from(["gnmt", "power"]),
    st.sampled_from(["bound", "count", "present"]),
    alphas,
    st.integers(2, 5),
    st.integers(1, 3),
    st.integers(1, 8),
    st.sampled_from([3, 4, 7]),  # with 3 and 4, fewer can go on than the beam is wide
    st.data(),
)
def test_a_record_holds_every_candidate_and_what_became_of_it(
    seed: int,
    penalty: Penalty,
    stopping: Stopping,
    alpha: float,
    width: int,
    min_length: int,
    limit: int,
    vocab_size: int,
    data: st.DataObject,
) -> None:
    config = SearchConfig(
        beam_width=width,
        n_best=data.draw(st.integers(1, width)),
        penalty=penalty,
        alpha=alpha,
        stopping=stopping,
        min_length=min_length,
    )
    table = Table(seed, vocab_size)
    hypotheses, recorder = record_beam(table, limit, config)
    found, expected = candidates_of(recorder), record_on_paper(table, limit, config)
    assert [(c.step, c.ids, c.state) for c in found] == [(c.step, c.ids, c.state) for c in expected]
    assert [c.logprob for c in found] == pytest.approx([c.logprob for c in expected])
    for node in recorder.nodes:
        assert node.score == config.penalise(node.logprob, node.step)
    # Recording changes nothing; what ended is what the search collected; the winner is what it found.
    assert hypotheses == beam_search(TableStepper(table, [0]), [limit], MARKS, config)[0]
    ended = sorted((c for c in found if c.state == "ended"), key=lambda c: -config.penalise(c.logprob, c.step))
    assert [list(c.ids) for c in ended[: config.n_best]] == [hypothesis.ids for hypothesis in hypotheses]
    if hypotheses:
        assert list(ids_of(recorder, recorder.winner)) == hypotheses[0].ids
        assert recorder.nodes[recorder.winner].logprob == hypotheses[0].logprob
        assert recorder.nodes[recorder.winner].score == hypotheses[0].score


@given(seeds, alphas, st.integers(1, 3), st.integers(1, 9), st.sampled_from([3, 7]))
def test_greedy_records_what_it_took_and_what_it_passed_over(
    seed: int, alpha: float, min_length: int, limit: int, vocab_size: int
) -> None:
    table = Table(seed, vocab_size)
    config = SearchConfig(beam_width=1, alpha=alpha, min_length=min_length)
    recorder = Recorder(config, END, limit)
    (best,) = greedy_search(TableStepper(table, [0]), [limit], MARKS, config, recorder)[0]
    assert [best] == greedy_search(TableStepper(table, [0]), [limit], MARKS, config)[0]
    assert list(ids_of(recorder, recorder.winner)) == best.ids
    assert recorder.nodes[recorder.winner].logprob == pytest.approx(best.logprob)
    for step in range(1, len(best.ids) + 1):
        nodes = [node for node in recorder.nodes if node.step == step]
        log_probs = table.log_probs(0, best.ids[: step - 1])
        allowed = [t for t in range(vocab_size) if t != PAD and (t != END or step >= min_length)]
        likeliest = sorted(allowed, key=lambda token: -log_probs[token])[:GREEDY_CANDIDATES]
        assert [node.token for node in nodes] == likeliest
        assert nodes[0].state == ("ended" if step == len(best.ids) else "kept")
        assert [node.state for node in nodes[1:]] == ["pruned"] * (len(nodes) - 1)
        for node in nodes:
            prefix = [*best.ids[: step - 1], node.token]
            assert node.logprob == pytest.approx(table.logprob(0, prefix))


def reason(config: SearchConfig, limit: int, probabilities: dict[tuple[int, ...], dict[int, float]]) -> str:
    recorder = Recorder(config, END, limit)
    if config.beam_width == 1:
        greedy_search(Script(probabilities), [limit], MARKS, config, recorder)
    else:
        beam_search(Script(probabilities), [limit], MARKS, config, recorder)
    return recorder.reason


def test_a_record_says_why_the_search_stopped() -> None:
    # "a END" has log 0.45; "b b" stands at log 0.5, and without a penalty can come to no more: but it could still win.
    # "b b b END" then has log 0.40, and "b b b a" could come to log 0.1 at most.
    plain = SearchConfig(beam_width=2, alpha=0.0)
    assert reason(plain, 10, SHORT_OR_LONG) == (
        "No open beam could still win: the best of them could come to -2.303 at most, "
        "and the best hypothesis has -0.799."
    )
    two = SearchConfig(beam_width=2, alpha=0.0, n_best=2)
    assert reason(two, 10, SHORT_OR_LONG).endswith("and hypothesis 2 of the 2 wanted has -0.916.")
    assert reason(SearchConfig(beam_width=2, stopping="count"), 10, SHORT_OR_LONG) == (
        "2 hypotheses had ended, as many as the beam is wide."
    )
    # At its end "b b b END" has log 0.40 and "a END" log 0.45; "b b b a" stands at log 0.1.
    assert reason(SearchConfig(beam_width=2, alpha=0.0, stopping="present"), 10, SHORT_OR_LONG) == (
        "2 hypotheses had ended, and the best open beam, at -2.303 now, was no better."
    )
    assert reason(SearchConfig(beam_width=2, alpha=3.0), 3, SHORT_OR_LONG) == (
        "It came to 3 tokens, the most this sentence may get, without an end."
    )
    assert reason(SearchConfig(beam_width=2), 2, {(): {A: 0.6, B: 0.4}, (A,): {END: 1.0}, (B,): {B: 1.0}}) == (
        "It came to 2 tokens, the most this sentence may get."
    )
    certain = {(): {A: 1.0}, (A,): {END: 1.0}}
    assert reason(plain, 5, certain) == "Every candidate had ended: nothing was left to go on with."
    greedy = SearchConfig(beam_width=1)
    assert reason(greedy, 5, certain) == "The likeliest next token was the end of the sentence."
    assert reason(greedy, 1, certain) == "It came to 1 token, the most this sentence may get, without an end."


def test_a_search_that_was_never_made_has_no_winner() -> None:
    recorder = Recorder(SearchConfig(), END, 3)
    assert recorder.winner == START
    assert recorder.reason == "There was nothing to search."
