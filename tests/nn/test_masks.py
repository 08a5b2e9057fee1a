"""Who may look at whom, drawn by hand."""

import torch

from glassformer.nn import no_future, real_places


def test_pads_are_hidden_from_every_query_and_nothing_else_is() -> None:
    visible = real_places(torch.tensor([[5, 7, 0, 0], [0, 3, 9, 0]]), pad_id=0)
    assert visible.shape == (2, 1, 1, 4)
    assert visible[:, 0, 0].tolist() == [[True, True, False, False], [False, True, True, False]]


def test_a_pad_is_what_the_model_calls_pad_not_zero() -> None:
    assert real_places(torch.tensor([[0, 8, 9]]), pad_id=9)[0, 0, 0].tolist() == [True, True, False]


def test_a_place_sees_itself_and_the_past_but_not_the_future() -> None:
    assert no_future(3, 3).tolist() == [[True, False, False], [True, True, False], [True, True, True]]


def test_queries_after_a_cache_stand_at_the_end_of_the_keys() -> None:
    assert no_future(2, 5).tolist() == [[True, True, True, True, False], [True, True, True, True, True]]
    assert no_future(1, 4).tolist() == [[True, True, True, True]]
