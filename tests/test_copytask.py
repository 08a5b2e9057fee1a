"""The copy task: its sequences, its training, and how the model is judged."""

import itertools

import pytest
import torch

from glassformer.copytask import (
    Batch,
    closest_head,
    copy_config,
    cross_attention,
    exact_copies,
    random_batch,
    share_right,
    spell,
    train,
    write,
)
from glassformer.nn import Transformer


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.fixture
def model() -> Transformer:
    torch.manual_seed(3)
    return Transformer(copy_config())


@pytest.fixture
def batch() -> Batch:
    return random_batch(50, 2, 7, copy_config(), seeded(5))


def test_a_sequence_is_letters_then_one_end_then_pads(batch: Batch) -> None:
    lengths = set()
    for row in batch.src.tolist():
        end = row.index(3)
        lengths.add(end)
        assert all(4 <= letter < 30 for letter in row[:end])
        assert row[end + 1 :] == [0] * (len(row) - end - 1)
    assert lengths == {2, 3, 4, 5, 6, 7}


def test_the_target_is_the_source_and_its_input_one_place_behind(batch: Batch) -> None:
    assert torch.equal(batch.tgt_out, batch.src)
    assert (batch.tgt_in[:, 0] == 2).all()
    assert torch.equal(batch.tgt_in[:, 1:], batch.tgt_out[:, :-1])


def test_training_makes_the_loss_smaller(model: Transformer) -> None:
    steps = list(train(model, seeded(1), n_steps=60, max_seconds=60))
    assert [step.number for step in steps] == list(range(1, 61))
    assert steps[-1].loss < 0.8 * steps[0].loss
    assert all(before.seconds < after.seconds for before, after in itertools.pairwise(steps))


def test_training_stops_when_the_time_is_up(model: Transformer) -> None:
    assert len(list(train(model, seeded(1), n_steps=60, max_seconds=0))) == 1


def test_the_same_seed_gives_the_same_training() -> None:
    def losses() -> list[float]:
        torch.manual_seed(3)
        return [step.loss for step in train(Transformer(copy_config()), seeded(1), n_steps=4, max_seconds=60)]

    assert losses() == losses()


def test_writing_with_a_cache_takes_the_likeliest_letter_of_an_uncached_run(model: Transformer, batch: Batch) -> None:
    for _ in train(model, seeded(1), n_steps=40, max_seconds=60):
        pass
    written = write(model, batch.src, 6)  # [B, 6]
    so_far = torch.full((50, 1), 2)  # [B, 1]
    for place in range(6):
        likeliest = model(batch.src, so_far)[:, -1].argmax(-1)  # [B]
        ended = (so_far == 3).any(dim=1)
        assert torch.equal(written[:, place], likeliest.masked_fill(ended, 0))
        so_far = torch.cat((so_far, likeliest.masked_fill(ended, 0)[:, None]), dim=1)  # [B, place + 2]


def test_only_copies_without_a_mistake_are_counted(model: Transformer, batch: Batch) -> None:
    made = write(model, batch.src, batch.src.size(1))  # [B, T]
    assert exact_copies(model, Batch(src=batch.src, tgt_in=batch.tgt_in, tgt_out=made)) == 50
    spoilt = made.clone()
    spoilt[3, 1] += 1
    spoilt[8, 7] += 1
    assert exact_copies(model, Batch(src=batch.src, tgt_in=batch.tgt_in, tgt_out=spoilt)) == 48


def test_the_closest_head_has_the_most_weight_on_the_letter_to_be_copied(model: Transformer, batch: Batch) -> None:
    found = closest_head(model, batch)
    closeness = {}
    for layer, weights in enumerate(cross_attention(model, batch)):
        for head in range(weights.size(1)):
            cells = [
                weights[row, head, place, place].item()
                for row in range(50)
                for place in range(8)
                if batch.tgt_out[row, place] != 0
            ]
            closeness[layer, head] = sum(cells) / len(cells)
    assert (found.layer, found.head) == max(closeness, key=lambda name: closeness[name])
    assert found.closeness == pytest.approx(max(closeness.values()), abs=1e-6)


def test_letters_are_spelt_and_pads_left_out() -> None:
    assert spell(torch.tensor([4, 29, 1, 3, 0, 0]), copy_config()) == ["a", "z", "?", "∎"]


def test_only_real_letters_count_as_right_or_wrong() -> None:
    tgt_out = torch.tensor([[4, 5, 3], [6, 3, 0]])  # [B, T]
    likeliest = torch.tensor([[4, 7, 3], [6, 5, 0]])  # wrong twice; the pad does not count
    logits = torch.nn.functional.one_hot(likeliest, 9).float()  # [B, T, V]
    assert share_right(logits, tgt_out, pad_id=0) == pytest.approx(3 / 5)
