"""How good the model is now."""

import pytest
import torch
from torch.nn import functional as F

from glassformer.data.batch import Batch
from glassformer.nn import ModelConfig, Transformer
from glassformer.training.feed import ListedSentences, all_batches
from glassformer.training.randomness import build_model
from glassformer.training.validation import Judgement, Sample, Validation, mean_losses

from .conftest import ORDER, Pairs, settings


@pytest.fixture
def batches(pairs: Pairs) -> list[Batch]:
    return all_batches(ListedSentences(pairs[:40]), ORDER)


def test_the_losses_are_means_over_all_tokens_not_means_of_means(small: ModelConfig, batches: list[Batch]) -> None:
    model = build_model(small, 1).eval()
    total, smooth, n_tokens = 0.0, 0.0, 0
    with torch.no_grad():
        for batch in batches:
            logits, targets = model(batch.src, batch.tgt_in).flatten(0, 1), batch.tgt_out.flatten()
            total += F.cross_entropy(logits, targets, ignore_index=0, reduction="sum").item()
            smooth += F.cross_entropy(logits, targets, ignore_index=0, reduction="sum", label_smoothing=0.3).item()
            n_tokens += int((targets != 0).sum())
    losses = mean_losses(model, batches, smoothing=0.3, precision="fp32")
    assert losses.nll == pytest.approx(total / n_tokens)
    assert losses.loss == pytest.approx(smooth / n_tokens)


def test_a_model_is_judged_without_dropout_and_goes_on_training(small: ModelConfig, batches: list[Batch]) -> None:
    model = build_model(small, 1).train()
    seen: list[tuple[bool, int]] = []

    def validator(model: Transformer, step: int) -> Judgement:
        seen.append((model.training, step))
        return Judgement(scores={"bleu": 12.5}, samples=[Sample("a", "b", "c")])

    validation = Validation(batches=batches, validator=validator)
    first, second = (validation.judge(model, 7, settings()) for _ in range(2))
    assert first == second
    assert seen == [(False, 7), (False, 7)]
    assert model.training
    assert first["scores"] == {"bleu": 12.5}
    assert first["samples"] == [["a", "b", "c"]]


def test_validations_are_compared_by_what_the_config_names_the_higher_the_better() -> None:
    found = {"nll": 1.5, "scores": {"bleu": 20.0, "chrf": 40.0}}
    assert Validation.figure(found, "loss") == -1.5
    assert Validation.figure(found, "bleu") == 20.0
    assert Validation.figure(found, "chrf") == 40.0


def test_what_cannot_be_judged_is_said_before_training() -> None:
    with pytest.raises(ValueError, match="no validator"):
        Validation().check(settings(judge="bleu"))
    with pytest.raises(ValueError, match="need sentences to validate on"):
        Validation().check(settings(patience=3))
    with pytest.raises(ValueError, match="need sentences to validate on"):
        Validation().check(settings(final="best"))
