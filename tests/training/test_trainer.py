"""The training loop: it learns, counts tokens fairly, stops when it should, and can be interrupted anywhere."""

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from glassformer.data.batch import Batch, make_batch
from glassformer.nn import ModelConfig, Transformer
from glassformer.run import Run
from glassformer.training.checkpoint import all_checkpoints, newest_whole
from glassformer.training.feed import Feed, ListedSentences
from glassformer.training.trainer import Trainer, TrainingError
from glassformer.training.validation import NO_VALIDATION, Judgement, Validation
from glassformer.training.watcher import Nobody, StepReport

from .conftest import ORDER, MakeTrainer, Pairs, settings


class Crash(Exception):
    """Stands for a power cut: nothing after it is run."""


class Eye(Nobody):
    """A watcher that remembers the steps."""

    def __init__(self) -> None:
        self.reports: list[StepReport] = []

    def stepped(self, report: StepReport) -> None:
        self.reports.append(report)


def crash_before_step(number: int) -> Any:
    """A `should_stop` that pulls the plug instead of answering when so many steps have been made."""
    made = itertools.count()

    def pull_the_plug() -> bool:
        if next(made) == number:
            raise Crash
        return False

    return pull_the_plug


def metrics(folder: Path) -> list[dict[str, Any]]:
    return [{k: v for k, v in event.items() if k != "clock"} for event in Run(folder).read_metrics()]


def assert_same_bits(one: Trainer, other: Trainer) -> None:
    for name, weight in one.model.state_dict().items():
        assert torch.equal(weight, other.model.state_dict()[name]), name
    ours, theirs = one.optimizer.state_dict(), other.optimizer.state_dict()
    assert ours["param_groups"] == theirs["param_groups"]
    for number, remembered in ours["state"].items():
        assert all(torch.equal(value, theirs["state"][number][name]) for name, value in remembered.items())
    assert (one.ema is None) == (other.ema is None)
    if one.ema is not None and other.ema is not None:
        assert all(torch.equal(weight, other.ema.weights[name]) for name, weight in one.ema.weights.items())
    first, second = one.state.to_json(), other.state.to_json()
    first.pop("clock"), second.pop("clock")
    assert first == second


def test_training_learns_to_turn_sequences_round(make_trainer: MakeTrainer, tmp_path: Path, small: ModelConfig) -> None:
    config = settings(max_epochs=20, warmup_steps=30, validate_every=90, checkpoint_every=90)
    sizes = {"d_model": 36, "d_ff": 60, "dropout": 0.0, "attention_dropout": 0.0, "norm_placement": "pre"}
    trainer = make_trainer(config, tmp_path, small.with_changes(**sizes))
    outcome = trainer.train()
    assert outcome.reason == "max_epochs"
    assert outcome.state.epoch == 20
    trained = [event["nll"] for event in metrics(tmp_path) if event["event"] == "train"]
    judged = [event["nll"] for event in metrics(tmp_path) if event["event"] == "valid"]
    assert len(judged) == outcome.state.step // 90
    assert trained[-1] < 1.0 < 2.5 < trained[0]


RESUMED: dict[str, dict[str, Any]] = {
    "plain": {"max_epochs": 2},
    "everything": {"ema": 0.9, "accumulate": 2, "optimizer": "adamw", "weight_decay": 0.1, "rdrop": 1.0},
    "muon": {"max_epochs": 2, "optimizer": "muon", "weight_decay": 0.1},
    "by steps": {"max_epochs": 2, "checkpoint_every": 5, "validate_every": 3, "schedule": "noam", "patience": 50},
}


@pytest.mark.parametrize("changes", RESUMED.values(), ids=RESUMED)
def test_interrupted_anywhere_and_resumed_equals_uninterrupted_bit_for_bit(
    make_trainer: MakeTrainer, tmp_path: Path, changes: dict[str, Any]
) -> None:
    config = settings(**changes)
    whole = make_trainer(config, tmp_path / "whole")
    n_steps = whole.train().state.step
    # Three times in one training, before the first checkpoint too; just before the last step.
    for number, crashes in enumerate(([4, n_steps // 2, 3], [n_steps - 1])):
        folder = tmp_path / str(number)
        for crash in crashes:
            trainer = make_trainer(config, folder)
            trainer.go_on()
            with pytest.raises(Crash):
                trainer.train(crash_before_step(crash))
        last = make_trainer(config, folder)
        last.go_on()
        last.train()
        assert_same_bits(whole, last)
        assert metrics(folder) == metrics(tmp_path / "whole")
        mine, theirs = last.final_weights(), whole.final_weights()
        assert mine[1] == theirs[1]
        assert all(torch.equal(weight, theirs[0][name]) for name, weight in mine[0].items())


def test_stopped_on_request_and_resumed_equals_uninterrupted(make_trainer: MakeTrainer, tmp_path: Path) -> None:
    config = settings(average=2)
    whole = make_trainer(config, tmp_path / "whole")
    whole.train()
    trainer = make_trainer(config, tmp_path / "stopped")
    counter = itertools.count()
    outcome = trainer.train(lambda: next(counter) == 11)
    assert outcome.reason == "stopped"
    assert outcome.state.step == 11
    found = newest_whole(Run(tmp_path / "stopped").checkpoints)
    assert found is not None
    assert found.path.name == "step-000011"
    again = make_trainer(config, tmp_path / "stopped")
    again.resume(found.path)
    again.train()
    assert_same_bits(whole, again)
    assert metrics(tmp_path / "stopped") == metrics(tmp_path / "whole")
    # The checkpoint of the interruption is none of those that are averaged.
    assert again.final_weights()[1] == whole.final_weights()[1]


def test_a_training_that_is_given_more_steps_equals_one_that_had_them_from_the_start(
    make_trainer: MakeTrainer, tmp_path: Path
) -> None:
    long = make_trainer(settings(max_steps=20), tmp_path / "long")
    long.train()
    make_trainer(settings(max_steps=13), tmp_path / "short").train()
    longer = make_trainer(settings(max_steps=20), tmp_path / "short")
    found = newest_whole(Run(tmp_path / "short").checkpoints)
    assert found is not None
    longer.resume(found.path)
    longer.train()
    assert_same_bits(long, longer)
    assert metrics(tmp_path / "short") == metrics(tmp_path / "long")


def test_a_torn_last_line_of_metrics_and_lines_after_the_checkpoint_are_dropped(
    make_trainer: MakeTrainer, tmp_path: Path
) -> None:
    config = settings(checkpoint_every=8, log_every=1)
    with pytest.raises(Crash):
        make_trainer(config, tmp_path).train(crash_before_step(11))
    file = Run(tmp_path).metrics
    assert len(metrics(tmp_path)) >= 11
    file.write_text(file.read_text() + '{"event": "tra')
    trainer = make_trainer(config, tmp_path)
    trainer.resume(tmp_path / "checkpoints" / "step-000008")
    assert [event["step"] for event in metrics(tmp_path) if event["event"] == "train"] == list(range(1, 9))
    assert file.read_text().endswith("}\n")


def test_a_run_whose_metrics_were_removed_still_goes_on(make_trainer: MakeTrainer, tmp_path: Path) -> None:
    make_trainer(settings(max_steps=8, checkpoint_every=4), tmp_path).train()
    Run(tmp_path).metrics.unlink()
    for n_steps in (16, 24):
        trainer = make_trainer(settings(max_steps=n_steps, checkpoint_every=4), tmp_path)
        trainer.go_on()
        trainer.train()
    assert [event["step"] for event in metrics(tmp_path) if event["event"] == "train"] == [12, 16, 20, 24]


def test_the_callers_random_numbers_go_on_as_if_nothing_had_happened(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer(settings(max_steps=3))
    torch.manual_seed(8)
    expected = torch.rand(3)
    torch.manual_seed(8)
    trainer.train()
    assert torch.equal(torch.rand(3), expected)


def test_what_was_drawn_before_does_not_change_the_training(make_trainer: MakeTrainer) -> None:
    results = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        trainer = make_trainer(settings(max_steps=5))
        trainer.train()
        results.append(trainer)
    assert_same_bits(*results)


def test_a_validator_that_draws_random_numbers_changes_nothing(make_trainer: MakeTrainer, pairs: Pairs) -> None:
    def draws(model: Transformer, step: int) -> Judgement:
        torch.rand(step)
        return Judgement()

    plain, drawing = (make_trainer(settings(max_steps=6, validate_every=2)) for _ in range(2))
    drawing.validation = Validation(batches=plain.validation.batches, validator=draws)
    plain.train()
    drawing.train()
    assert_same_bits(plain, drawing)


def gradient_of(trainer: Trainer, batches: list[Batch]) -> list[torch.Tensor]:
    trainer._find_gradient(batches)
    return [parameter.grad for parameter in trainer.parameters if parameter.grad is not None]


def test_batches_accumulated_give_the_gradient_of_one_large_batch(
    make_trainer: MakeTrainer, small: ModelConfig, pairs: Pairs
) -> None:
    calm = small.with_changes(dropout=0.0, attention_dropout=0.0)
    trainer = make_trainer(settings(), None, calm)
    # Unequal on purpose: one long sentence against many short ones is where a mean of means goes wrong.
    by_length = sorted(pairs, key=lambda pair: len(pair[0]))
    parts = [by_length[:30], by_length[-1:], by_length[40:50]]
    *shares, whole = [
        make_batch(ListedSentences(part), np.arange(len(part))) for part in (*parts, list(itertools.chain(*parts)))
    ]
    together = gradient_of(trainer, shares)
    at_once = gradient_of(trainer, [whole])
    for ours, theirs in zip(together, at_once, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-6)


def test_the_loss_is_a_mean_over_real_tokens(make_trainer: MakeTrainer, small: ModelConfig) -> None:
    calm = small.with_changes(dropout=0.0, attention_dropout=0.0)
    trainer = make_trainer(settings(max_steps=1), None, calm)
    batch = trainer.feed.portion(0, 0).batches[0]
    logits = trainer.model(batch.src, batch.tgt_in).flatten(0, 1)  # [B * T, V]
    expected = F.cross_entropy(logits, batch.tgt_out.flatten(), ignore_index=0, label_smoothing=0.1)
    eye = Eye()
    trainer.watcher = eye
    trainer.train()
    assert eye.reports[0].loss == pytest.approx(expected.item())
    assert eye.reports[0].n_tokens == int((batch.tgt_out != 0).sum())


def test_a_loss_that_is_not_finite_stops_before_the_weights_change_and_names_the_batch(
    make_trainer: MakeTrainer, tmp_path: Path
) -> None:
    config = settings(checkpoint_every=5)
    trainer = make_trainer(config, tmp_path)
    portion = trainer.feed.portion

    def poisoned(epoch: int, position: int) -> Any:
        found = portion(epoch, position)
        if trainer.state.step == 6:
            with torch.no_grad():  # an overflow, as it would come out of a layer
                trainer.model.logits_bias = torch.nn.Parameter(torch.full((19,), math.nan), requires_grad=False)
        return found

    trainer.feed.portion = poisoned  # type: ignore[method-assign]
    weights: dict[str, torch.Tensor] = {}

    def remember() -> bool:
        weights.update({name: weight.clone() for name, weight in trainer.model.named_parameters()})
        return False

    with pytest.raises(TrainingError) as caught:
        trainer.train(remember)
    message = str(caught.value)
    first = portion(0, 6).batches[0].src[0].tolist()[:12]
    assert "step 7: the loss (nan) is not finite" in message
    assert f"epoch 0, position 6, whose first source ids are {first}" in message
    assert "The weights were not changed" in message
    assert "Start a new run with a lower learning rate" in message
    for name, weight in weights.items():
        assert torch.equal(weight, dict(trainer.model.named_parameters())[name])
    assert [path.name for path in all_checkpoints(tmp_path / "checkpoints")] == ["step-000005"]


def test_stopped_before_its_first_step_it_makes_one_and_can_go_on(make_trainer: MakeTrainer, tmp_path: Path) -> None:
    trainer = make_trainer(settings(), tmp_path)
    assert trainer.train(lambda: True).state.step == 1
    assert make_trainer(settings(), tmp_path).go_on() is not None


def test_of_several_batches_the_one_with_the_bad_loss_is_named(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer(settings(accumulate=4))
    runs = itertools.count()

    def spoil(module: torch.nn.Module, given: object, hidden: torch.Tensor) -> torch.Tensor:
        return hidden * math.nan if next(runs) == 2 else hidden

    trainer.model.decoder.register_forward_hook(spoil)
    with pytest.raises(TrainingError, match="epoch 0, position 2, whose first source ids are") as caught:
        trainer.train()
    assert str(trainer.feed.portion(0, 2).batches[0].src[0].tolist()) in str(caught.value)


def test_which_of_several_batches_had_the_bad_gradient_is_not_guessed(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer(settings(accumulate=4))
    trainer.parameters[3].register_hook(lambda gradient: gradient * math.inf)
    with pytest.raises(TrainingError, match="not finite, in one of the 4 batches from epoch 0, position 0 on"):
        trainer.train()


def test_a_gradient_that_is_not_finite_stops_too(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer(settings())
    parameter = trainer.parameters[3]
    parameter.register_hook(lambda gradient: gradient * math.inf)
    before = [weight.clone() for weight in trainer.parameters]
    with pytest.raises(TrainingError, match="step 1: the gradient is not finite, in the batch at epoch 0, position 0"):
        trainer.train()
    assert all(torch.equal(a, b) for a, b in zip(before, trainer.parameters, strict=True))


def judged_by(figures: list[float]) -> Any:
    """A validator that gives these scores, one after the other."""
    left = iter(figures)
    return lambda model, step: Judgement(scores={"bleu": next(left)})


def test_training_stops_when_nothing_got_better_for_a_while_and_the_best_is_kept(
    make_trainer: MakeTrainer, tmp_path: Path
) -> None:
    config = settings(
        validate_every=2, checkpoint_every=3, keep_last=1, average=1, judge="bleu", patience=3, final="best"
    )
    trainer = make_trainer(settings(validate_every=2), tmp_path)
    figures = [1.0, 5.0, 9.0, 4.0, 9.0, 8.0, 99.0]
    trainer.config = config
    trainer.logbook.keep = 1
    trainer.validation = Validation(batches=trainer.validation.batches, validator=judged_by(figures))
    outcome = trainer.train()
    assert outcome.reason == "patience"
    assert outcome.state.step == 12  # best at 6, equal at 10 is not better, 8, 10 and 12 are three
    assert (outcome.state.best, outcome.state.best_step) == (9.0, 6)
    assert [path.name for path in all_checkpoints(tmp_path / "checkpoints")] == ["step-000006", "step-000012"]
    weights, origin = trainer.final_weights()
    assert origin == "the best validation, at step 6"
    assert any(not torch.equal(weight, trainer.model.state_dict()[name]) for name, weight in weights.items())


def test_the_last_checkpoints_are_kept_and_averaged(make_trainer: MakeTrainer, tmp_path: Path) -> None:
    config = settings(checkpoint_every=2, max_steps=11, keep_last=1, average=3)
    trainer = make_trainer(config, tmp_path)
    saved: dict[int, dict[str, torch.Tensor]] = {}

    def remember() -> bool:
        saved[trainer.state.step] = {name: weight.clone() for name, weight in trainer.model.state_dict().items()}
        return False

    trainer.train(remember)
    assert [path.name for path in all_checkpoints(tmp_path / "checkpoints")][-4:] == [
        f"step-{step:06d}" for step in (6, 8, 10, 11)
    ]
    trainer.validation = NO_VALIDATION
    weights, origin = trainer.final_weights()
    assert origin == "the average of 3 checkpoints, steps 6, 8, 10"
    for name, weight in weights.items():
        mean = torch.stack([saved[step][name] for step in (6, 8, 10)]).mean(dim=0)
        torch.testing.assert_close(weight, mean)


def test_a_moving_average_is_what_is_validated_and_used_where_it_is_to_be_the_model(
    make_trainer: MakeTrainer, tmp_path: Path
) -> None:
    trainer = make_trainer(settings(max_steps=6, validate_every=6, ema=0.9, final="ema"), tmp_path)
    trainer.train()
    assert trainer.ema is not None
    weights = trainer.ema.weights
    judged = next(event for event in metrics(tmp_path) if event["event"] == "valid")
    own = trainer.validation.judge(trainer.model, 6, trainer.config)["nll"]
    trainer.model.load_state_dict(weights)
    assert trainer.validation.judge(trainer.model, 6, trainer.config)["nll"] == judged["nll"] != own


def test_an_average_is_used_only_where_it_validates_better_than_the_last_weights(
    make_trainer: MakeTrainer, tmp_path: Path
) -> None:
    trainer = make_trainer(settings(max_steps=12, checkpoint_every=2, average=6), tmp_path)
    trainer.train()
    learnt = {name: weight.clone() for name, weight in trainer.model.state_dict().items()}
    weights, origin = trainer.final_weights()
    assert origin.startswith("the last step, 12: they validate better (")
    assert "than the average of 6 checkpoints, steps 2, 4, 6, 8, 10, 12" in origin
    assert all(torch.equal(weight, learnt[name]) for name, weight in weights.items())
    spoilt = {name: torch.randn_like(weight) for name, weight in learnt.items()}  # as if the last steps had gone wrong
    trainer.model.load_state_dict(spoilt)
    assert trainer.final_weights()[1] == "the average of 6 checkpoints, steps 2, 4, 6, 8, 10, 12"
    assert all(torch.equal(weight, spoilt[name]) for name, weight in trainer.model.state_dict().items())


def test_without_a_run_folder_the_last_weights_are_the_model(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer(settings(max_steps=3))
    trainer.train()
    weights, origin = trainer.final_weights()
    assert origin == "the last step, 3"
    assert torch.equal(weights["target_embedding.table.weight"], trainer.model.target_embedding.table.weight)


def test_the_metrics_say_what_happened(make_trainer: MakeTrainer, tmp_path: Path) -> None:
    trainer = make_trainer(settings(max_epochs=1, log_every=3), tmp_path)
    state = trainer.train().state
    events = Run(tmp_path).read_metrics()
    assert [event["event"] for event in events] == ["train"] * (state.step // 3) + ["valid"]
    assert events[0].keys() == {
        *("event", "step", "epoch", "loss", "nll", "learning_rate", "gradient_norm", "tokens", "clock")
    }
    assert events[1]["step"] == 6
    assert events[1]["learning_rate"] == 0.01
    assert events[-1].keys() == {"event", "step", "epoch", "loss", "nll", "scores", "samples", "best", "clock"}
    assert events[-1]["step"] == state.step
    assert state.n_events == len(events)
    assert all(event["clock"].keys() == {"seconds", "tokens_per_second"} for event in events)


def test_in_bf16_the_loss_is_about_the_same_and_the_weights_stay_fp32(make_trainer: MakeTrainer) -> None:
    exact, coarse = (make_trainer(settings(max_steps=7, precision=kind)) for kind in ("fp32", "bf16"))
    exact.train()
    coarse.train()
    assert coarse.state.tally.nll == pytest.approx(exact.state.tally.nll, rel=0.02)
    assert coarse.state.tally.nll != exact.state.tally.nll
    assert all(parameter.dtype == torch.float32 for parameter in coarse.parameters)


def test_a_precision_that_nobody_settled_is_refused(make_trainer: MakeTrainer) -> None:
    with pytest.raises(ValueError, match="let choose_precision settle it"):
        make_trainer(settings(precision="auto"))


def test_rdrop_runs_each_sentence_twice_and_still_counts_it_once(make_trainer: MakeTrainer) -> None:
    plain, twice = (make_trainer(settings(max_steps=2, rdrop=weight)) for weight in (0.0, 4.0))
    plain.train()
    twice.train()
    assert twice.state.n_tokens == plain.state.n_tokens
    assert twice.state.tally.nll == pytest.approx(plain.state.tally.nll, rel=0.1)
    assert twice.state.tally.objective > plain.state.tally.objective


def test_max_steps_ends_training_even_in_the_middle_of_an_epoch(make_trainer: MakeTrainer, pairs: Pairs) -> None:
    outcome = make_trainer(settings(max_steps=4)).train()
    assert outcome.reason == "max_steps"
    assert (outcome.state.step, outcome.state.epoch, outcome.state.position) == (4, 0, 4)
    assert Feed(ListedSentences(pairs[:110]), ORDER, seed=1).steps_per_epoch() > 4
