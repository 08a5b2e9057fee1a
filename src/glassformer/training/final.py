"""Which weights become the run's model when training has ended: an average, the best, or the last. Paper: section 6.1.

Writes nothing: see publish.py.
"""

from typing import NamedTuple

from glassformer.nn import Transformer
from glassformer.training.average import MovingAverage, Weights, lend_weights
from glassformer.training.config import TrainingConfig
from glassformer.training.logbook import Logbook
from glassformer.training.state import TrainingState
from glassformer.training.validation import Validation


class Chosen(NamedTuple):
    """Weights, and a few words on where they come from."""

    weights: Weights
    origin: str


def choose_weights(
    model: Transformer, state: TrainingState, config: TrainingConfig, logbook: Logbook, ema: MovingAverage | None
) -> Chosen:
    """What the config names as final, or the last weights where there is no such thing."""
    if config.final == "average" and (found := logbook.average(config.average)) is not None:
        weights, steps = found
        if len(steps) == 1:
            return Chosen(weights, f"the checkpoint of step {steps[0]}")
        return Chosen(weights, f"the average of {len(steps)} checkpoints, steps {', '.join(map(str, steps))}")
    if config.final == "best" and (best := logbook.weights_of(state.best_step)) is not None:
        return Chosen(best, f"the best validation, at step {state.best_step}")
    if config.final == "ema" and ema is not None:
        return Chosen(ema.weights, f"the moving average at step {state.step}")
    return Chosen(dict(model.state_dict()), f"the last step, {state.step}")


def prefer_last_if_better(
    chosen: Chosen, model: Transformer, state: TrainingState, config: TrainingConfig, validation: Validation
) -> Chosen:
    """The chosen weights, unless they are an average and the model's own validate better.

    An average reaches back to when the model knew less: after a short training it can be worse by far.
    """
    if not validation.batches or config.final not in ("average", "ema"):
        return chosen
    with lend_weights(model, chosen.weights):
        averaged = validation.losses(model, config).nll
    last = validation.losses(model, config).nll
    if averaged <= last:
        return chosen
    origin = f"the last step, {state.step}: they validate better ({last:.3f}) than {chosen.origin} ({averaged:.3f})"
    return Chosen(dict(model.state_dict()), origin)
