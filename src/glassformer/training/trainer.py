"""The training loop. Whoever opens this file first should see the whole line in `Trainer.train`. Paper: section 5.

Prints nothing and knows no text: it is handed ids, and is seen through a watcher. What stays on disk is logbook.py's.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor

from glassformer.data.batch import Batch
from glassformer.fast.compiled.attention import compiled_attention
from glassformer.nn import Transformer
from glassformer.training.average import MovingAverage, Weights, lend_weights
from glassformer.training.checkpoint import Checkpoint, Found, newest_whole, read_checkpoint, restore
from glassformer.training.clock import Clock
from glassformer.training.config import TrainingConfig
from glassformer.training.distributed import ALONE, Team
from glassformer.training.feed import Feed
from glassformer.training.final import choose_weights, prefer_last_if_better
from glassformer.training.logbook import NO_LOGBOOK, Logbook
from glassformer.training.loss import REMEDY, TrainingError, loss_of
from glassformer.training.optimizer import clip_gradient, gradient_norm, make_optimizer, set_learning_rate
from glassformer.training.randomness import seed_step
from glassformer.training.schedule import learning_rate
from glassformer.training.state import Tally, TrainingState
from glassformer.training.validation import NO_VALIDATION, Validation
from glassformer.training.watcher import NOBODY, StepReport, Watcher

Reason = Literal["max_steps", "max_epochs", "patience", "stopped"]


class Outcome(NamedTuple):
    """Why training ended, and where."""

    reason: Reason
    state: TrainingState


class StepLoss(NamedTuple):
    """Sums over the real tokens of a step, all its batches and processes together; the number of those tokens."""

    objective: float
    nll: float
    n_tokens: int
    suspect: int | None  # which of the step's batches had the first loss that is not finite; None: not known


class Trainer:
    """Trains one model. Everything random in it is a function of the seed and the step, so nothing random is saved."""

    def __init__(
        self,
        model: Transformer,
        feed: Feed,
        config: TrainingConfig,
        *,
        validation: Validation = NO_VALIDATION,
        logbook: Logbook = NO_LOGBOOK,
        team: Team = ALONE,
        watcher: Watcher = NOBODY,
    ) -> None:
        if config.precision == "auto":
            raise ValueError('precision is "auto": let choose_precision settle it before training')
        validation.check(config)
        self.model, self.feed, self.config, self.validation, self.team = model, feed, config, validation, team
        self.logbook, self.watcher = (logbook, watcher) if team.leads else (NO_LOGBOOK, NOBODY)
        self._run = logbook.run  # the others of a team write nothing, but read the same checkpoint
        self.device = next(model.parameters()).device
        self.parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
        self.optimizer = make_optimizer(model, config)
        self.ema = MovingAverage(model, config.ema) if config.ema else None
        self.state = TrainingState()
        self._n_steps = min(config.max_steps or math.inf, config.max_epochs * feed.steps_per_epoch())
        self._saved_step = 0
        self._clock = Clock()

    def train(self, should_stop: Callable[[], bool] = lambda: False) -> Outcome:
        """Go from batches to weights, step after step, until there is a reason to stop. The whole line of training."""
        self.model.train()
        self._clock.start(self.state.seconds)
        # The caller's own random numbers go on as if we had not been here.
        kept_apart = torch.random.fork_rng([self.device] if self.device.type == "cuda" else [])
        with kept_apart, compiled_attention(self.model):
            while (reason := self._reason_to_stop(should_stop)) is None:
                batches, *next_place = self.feed.portion(self.state.epoch, self.state.position)
                seed_step(self.config.seed, self.state.step + 1, self.team.rank, self.device)
                loss = self._find_gradient(batches)
                norm = self._refuse_what_is_not_finite(loss, batches)
                rate = self._change_weights(norm)
                self._count(loss, rate, *next_place)
                if self.state.step % self.config.log_every == 0:
                    self._log(rate, norm)
                found_best = self._is_due(self.config.validate_every) and self._validate()
                if found_best or self._is_due(self.config.checkpoint_every):
                    self._save(on_schedule=self._is_due(self.config.checkpoint_every))
        if self._saved_step < self.state.step:
            self._save(on_schedule=False)
        return Outcome(reason, self.state)

    def go_on(self) -> Found | None:
        """Go on from the run's newest whole checkpoint, or from the start if it has none, and say which it is."""
        found = None if self._run is None else newest_whole(self._run.checkpoints)
        self.team.wait()  # all have looked before the first one tidies up
        if found is None:
            self.logbook.go_back_to(self.state)
        else:
            self.resume(found.path)
        return found

    def resume(self, path: Path) -> None:
        """Go back to where a checkpoint was written; whatever the logbook says of later never happened."""
        checkpoint = read_checkpoint(path)
        restore(checkpoint, path, self.model, self.optimizer)
        if self.ema is not None:
            self.ema.load(checkpoint.ema or checkpoint.weights)
        self.state = replace(checkpoint.state, n_events=self.logbook.go_back_to(checkpoint.state))
        self._saved_step = self.state.step

    def final_weights(self) -> tuple[Weights, str]:
        """The weights to use, by the config's choice, and a few words on where they come from."""
        chosen = choose_weights(self.model, self.state, self.config, self.logbook, self.ema)
        return prefer_last_if_better(chosen, self.model, self.state, self.config, self.validation)

    def _reason_to_stop(self, should_stop: Callable[[], bool]) -> Reason | None:
        if self.config.patience is not None and self.state.stale >= self.config.patience:
            return "patience"
        if self.state.step >= (self.config.max_steps or math.inf):
            return "max_steps"
        if self.state.epoch >= self.config.max_epochs:
            return "max_epochs"
        # Before the first step there is nothing to save that --resume could go on from.
        return "stopped" if self.team.any(should_stop()) and self.state.step else None

    def _find_gradient(self, batches: Sequence[Batch]) -> StepLoss:
        """Leave in the weights the gradient of the mean loss over all real tokens of the step, of all processes."""
        pad_id = self.model.config.pad_id
        n_tokens = self.team.sum([sum(int((batch.tgt_out != pad_id).sum()) for batch in batches)])[0]
        self.optimizer.zero_grad()
        found = []  # the sums of each batch
        for batch in batches:
            loss = loss_of(self.model, Batch(*(ids.to(self.device) for ids in batch)), self.config)
            # Divided once, by all tokens: a mean of batch means would let the tokens of a short batch weigh more.
            (loss.objective / n_tokens).backward()
            found.append(torch.stack((loss.objective.detach(), loss.nll)).tolist())
        self.team.sum_gradients(self.parameters)
        objective, nll = self.team.sum([sum(sums) for sums in zip(*found, strict=True)] or [0.0, 0.0])
        bad = [place for place, sums in enumerate(found) if not math.isfinite(sums[0])]
        known = 0 if self.config.accumulate == 1 else None  # of several, others of the team may have the bad one
        return StepLoss(objective, nll, int(n_tokens), bad[0] if bad and self.team.size == 1 else known)

    def _refuse_what_is_not_finite(self, loss: StepLoss, batches: Sequence[Batch]) -> Tensor:
        """Return the gradient's norm; raise if it or the loss is not a number, while the weights are still sound."""
        norm = gradient_norm(self.parameters)
        if math.isfinite(loss.objective) and math.isfinite(norm):
            return norm
        found = "the gradient" if math.isfinite(loss.objective) else f"the loss ({loss.objective})"
        epoch, position = self.state.epoch, self.state.position
        if loss.suspect is None:
            where = f"one of the {self.config.accumulate} batches from epoch {epoch}, position {position} on"
        else:
            first = batches[loss.suspect].src[0].tolist() if batches else []
            where = f"the batch at epoch {epoch}, position {position + loss.suspect}"
            where += f", whose first source ids are {first[:12]}"
        raise TrainingError(
            f"step {self.state.step + 1}: {found} is not finite, in {where}. The weights were not changed. {REMEDY}"
        )

    def _change_weights(self, norm: Tensor) -> float:
        clip_gradient(self.parameters, norm, self.config.clip_norm)
        rate = learning_rate(self.state.step + 1, self.config, self.model.config.d_model)
        set_learning_rate(self.optimizer, rate)
        self.optimizer.step()
        if self.ema is not None:
            self.ema.update(self.model, self.state.step + 1)
        return rate

    def _count(self, loss: StepLoss, rate: float, epoch: int, position: int) -> None:
        mean = loss.objective / loss.n_tokens
        report = StepReport(self.state.step + 1, int(self._n_steps), self.state.epoch + 1, mean, rate, loss.n_tokens)
        self.state = replace(
            self.state,
            step=self.state.step + 1,
            epoch=epoch,
            position=position,
            n_tokens=self.state.n_tokens + loss.n_tokens,
            tally=self.state.tally.plus(loss.objective, loss.nll, loss.n_tokens),
        )
        self.watcher.stepped(report)

    def _is_due(self, every: int | None) -> bool:
        """Every so many steps; None: whenever an epoch has ended."""
        return self.state.position == 0 if every is None else self.state.step % every == 0

    def _log(self, rate: float, norm: Tensor) -> None:
        tally = self.state.tally
        self._tell(
            {
                "event": "train",
                "step": self.state.step,
                "epoch": self.state.epoch,
                "loss": tally.objective / tally.n_tokens,
                "nll": tally.nll / tally.n_tokens,
                "learning_rate": rate,
                "gradient_norm": norm.item(),
                "tokens": self.state.n_tokens,
                "clock": self._clock.lap(tally.n_tokens),
            }
        )
        self.state = replace(self.state, tally=Tally())

    def _validate(self) -> bool:
        """Judge the model as it would be used; return whether it has never been better."""
        if not self.validation.batches:
            return False
        figure = 0.0
        event: dict[str, Any] = {"event": "valid", "step": self.state.step, "epoch": self.state.epoch}
        if self.team.leads:
            used = self.ema.weights if self.ema is not None and self.config.final == "ema" else None
            with lend_weights(self.model, used):
                found = self.validation.judge(self.model, self.state.step, self.config)
            event |= found
            figure = self.validation.figure(found, self.config.judge)
        figure = self.team.sum([figure])[0]  # the others add nothing: so all know what the first one found
        is_best = self.state.best is None or figure > self.state.best
        if is_best:
            self.state = replace(self.state, best=figure, best_step=self.state.step, stale=0)
        else:
            self.state = replace(self.state, stale=self.state.stale + 1)
        self._tell({**event, "best": is_best, "clock": self._clock.lap(0)})
        self.logbook.draw_now_and_then()
        return is_best

    def _tell(self, event: dict[str, Any]) -> None:
        self.logbook.add(event)
        self.state = replace(self.state, n_events=self.state.n_events + 1)
        self.watcher.happened(event)

    def _save(self, *, on_schedule: bool) -> None:
        self.state = replace(self.state, on_schedule=on_schedule, seconds=self._clock.seconds())
        ema = None if self.ema is None else self.ema.weights
        weights = dict(self.model.state_dict())
        self.logbook.save(Checkpoint(state=self.state, weights=weights, optimizer=self.optimizer.state_dict(), ema=ema))
        self._saved_step = self.state.step
