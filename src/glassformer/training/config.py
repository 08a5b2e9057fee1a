"""Every choice of a training that is not the model's, the text's or the data's. Paper: section 5.

Does not import torch.
"""

from dataclasses import dataclass
from typing import Literal

Schedule = Literal["noam", "inverse-sqrt", "cosine", "constant"]
Optimizer = Literal["adam", "adamw", "muon"]
Precision = Literal["auto", "fp32", "bf16"]
Judge = Literal["loss", "bleu", "chrf"]
Final = Literal["last", "average", "ema", "best"]


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """The defaults are the paper's where it has one."""

    seed: int = 1  # of the first weights, the order of the data and dropout
    start: str = ""  # a run whose model this one begins with, to go on with other text; "": with new weights
    max_epochs: int = 30
    max_steps: int | None = None  # whichever comes first

    label_smoothing: float = 0.1  # 5.4
    rdrop: float = 0.0  # R-Drop's alpha; each sentence then runs twice
    accumulate: int = 1  # batches of `data.batch_tokens` to a step

    optimizer: Optimizer = "adam"  # 5.3; "muon" learns in fewer steps, at the same learning rate
    schedule: Schedule = "noam"
    warmup_steps: int = 4000  # 5.3
    noam_factor: float = 1.0  # only schedule "noam" uses it; the others use learning_rate, their highest
    learning_rate: float = 5e-4
    decay_steps: int | None = (
        None  # only "cosine" uses it: where the rate reaches zero; a cap on steps changes no shape
    )
    beta1: float = 0.9  # 5.3, this and the next two
    beta2: float = 0.98
    eps: float = 1e-9
    weight_decay: float = 0.0  # on matrices, never on biases and norms
    clip_norm: float = 0.0  # the largest norm of a gradient; 0: any

    log_every: int = 50  # steps
    validate_every: int | None = None  # steps; None: at the end of each epoch
    scored_sentences: int = 500  # of the validation data are translated each time, for BLEU and chrF++; 0: none
    checkpoint_every: int | None = None  # steps; None: at the end of each epoch
    keep_last: int = 3  # checkpoints, besides the best and those that are to be averaged
    judge: Judge = "loss"  # of the validation: what "best" and patience go by
    patience: int | None = None  # validations without a new best before training stops; None: never

    final: Final = "average"  # what becomes the run's model; an average, only if it validates better than the last
    average: int = 5  # the last so many checkpoints, where final = "average"
    ema: float = 0.0  # decay of the moving average of the weights; 0: none is kept

    precision: Precision = "auto"  # bf16 only where it is measured to be faster
    device: str = "auto"
    threads: int | None = None  # of torch; None: as many as torch takes
    tensorboard: bool = False

    def __post_init__(self) -> None:
        self._check_counts()
        self._check_shares()
        self._check_combinations()

    def _check_counts(self) -> None:
        for name in ("max_epochs", "accumulate", "log_every", "keep_last", "average"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 1")
        optional = ("max_steps", "decay_steps", "validate_every", "checkpoint_every", "patience", "threads")
        for name in optional:
            if getattr(self, name) is not None and getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 1, or be left out")
        for name in ("seed", "warmup_steps", "scored_sentences"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}; it must not be negative")
        for name, most in (("seed", 2**63 - 1), ("accumulate", 1_000_000), ("threads", 1024)):
            if (getattr(self, name) or 0) > most:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at most {most}")

    def _check_shares(self) -> None:
        for name in ("label_smoothing", "beta1", "beta2", "ema"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 0 and below 1")
        for name in ("rdrop", "weight_decay", "clip_norm"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise ValueError(f"{name} is {getattr(self, name)}; it must be a number that is not negative")
        for name in ("noam_factor", "learning_rate", "eps"):
            if not 0 < getattr(self, name) < float("inf"):
                raise ValueError(f"{name} is {getattr(self, name)}; it must be a number above 0")

    def _check_combinations(self) -> None:
        if self.schedule == "cosine" and self.decay_steps is None:
            raise ValueError('schedule "cosine" needs decay_steps: the step at which the learning rate reaches zero')
        if self.schedule == "cosine" and (self.max_steps or 0) > (self.decay_steps or 0):
            raise ValueError(
                f"max_steps is {self.max_steps} but decay_steps {self.decay_steps}: from there on the learning rate is "
                "0 and nothing is learnt; lower max_steps, or begin a new run (with this one's model: training.start)"
            )
        if self.judge != "loss" and self.scored_sentences == 0:
            raise ValueError(f'judge "{self.judge}" needs translations to score, but scored_sentences is 0')
        if self.final == "ema" and self.ema == 0:
            raise ValueError('final "ema" needs ema, the decay of the moving average, such as 0.999')
