"""How good the model is now: its loss on sentences it does not train on, and what a validator says of its translations.

Translates nothing itself: a validator is handed in, so that training need not know how to search.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch

from glassformer.data.batch import Batch
from glassformer.fast.compiled.attention import compiled_attention
from glassformer.nn import Transformer
from glassformer.training.config import Judge, TrainingConfig
from glassformer.training.loss import REMEDY, TrainingError, vocabulary_loss
from glassformer.training.precision import autocast


class Sample(NamedTuple):
    """A sentence, what the model makes of it, and what it should have made."""

    source: str
    translation: str
    reference: str


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """What a validator found: scores by name ("bleu", "chrf"), higher is better, and some translations to look at."""

    scores: Mapping[str, float] = field(default_factory=dict)
    samples: Sequence[Sample] = ()


# Is given the model, ready to translate, and the number of steps it has been trained.
Validator = Callable[[Transformer, int], Judgement]


@dataclass(frozen=True, kw_only=True)
class Validation:
    """The sentences to judge a model by, and whoever judges its translations of them."""

    batches: Sequence[Batch] = ()
    validator: Validator | None = None

    def check(self, config: TrainingConfig) -> None:
        """Raise if the config asks for what this validation cannot tell."""
        if config.judge != "loss" and self.validator is None:
            raise ValueError(f'judge is "{config.judge}", but no validator was given that would score translations')
        if not self.batches and (config.patience is not None or config.final == "best"):
            raise ValueError('patience and final "best" need sentences to validate on')

    def judge(self, model: Transformer, step: int, config: TrainingConfig) -> dict[str, Any]:
        """What there is to say of a model, as plain data. It is left as it was found; one that is broken is refused."""
        losses = self.losses(model, config)
        if not math.isfinite(losses.loss):
            raise TrainingError(f"step {step}: the loss on the validation sentences is {losses.loss}. {REMEDY}")
        was_training = model.training
        model.eval()
        said = Judgement() if self.validator is None else self.validator(model, step)
        model.train(was_training)
        samples = [list(sample) for sample in said.samples]
        return {"loss": losses.loss, "nll": losses.nll, "scores": dict(said.scores), "samples": samples}

    def losses(self, model: Transformer, config: TrainingConfig) -> "Losses":
        """The model's mean losses, dropout off. It is left as it was found."""
        was_training = model.training
        model.eval()
        found = mean_losses(model, self.batches, smoothing=config.label_smoothing, precision=config.precision)
        model.train(was_training)
        return found

    @staticmethod
    def figure(found: Mapping[str, Any], judge: Judge) -> float:
        """The one number by which validations are compared: the higher the better."""
        return -found["nll"] if judge == "loss" else float(found["scores"][judge])


NO_VALIDATION = Validation()


class Losses(NamedTuple):
    """Means over real tokens: `loss` as training has it, smoothing included, and `nll`, minus log p, without it."""

    loss: float
    nll: float


@torch.no_grad()
def mean_losses(model: Transformer, batches: Sequence[Batch], *, smoothing: float, precision: str) -> Losses:
    """The model's losses over all batches, every token weighing the same."""
    objective, nll, n_tokens = 0.0, 0.0, 0
    pad_id = model.config.pad_id
    device = next(model.parameters()).device
    for batch in batches:
        src, tgt_in, tgt_out = (ids.to(device) for ids in batch)  # [B, S], [B, T], [B, T]
        with autocast(device, precision), compiled_attention(model):  # the same bits, while training and afterwards
            hidden = model.decode(tgt_in, model.encode(src), src)  # [B, T, D]
        loss = vocabulary_loss(model, hidden.unsqueeze(0), tgt_out, smoothing=smoothing, precision=precision)
        objective += loss.objective.item()
        nll += loss.nll.item()
        n_tokens += int((tgt_out != pad_id).sum())
    return Losses(loss=objective / n_tokens, nll=nll / n_tokens)
