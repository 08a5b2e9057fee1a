"""Stage 12 in the real model: every residual with its norm, and the norms after the stacks where there are any."""

from collections.abc import Callable, Mapping

from torch import Tensor, nn

from glassformer.course.swap import Adapter
from glassformer.course.ties import NORM, same_names
from glassformer.course.universe import Subject
from glassformer.nn import LayerNorm, ModelConfig, Residual


class ResidualAdapter(Adapter, Residual):
    """The learner's residual around the learner's norm."""

    replaces = Residual

    @classmethod
    def build(cls, subject: Subject, config: ModelConfig) -> nn.Module:
        """In the size of this model."""
        norm = subject.part("LayerNorm")(config.d_model, config.norm_eps)
        return subject.part("Residual")(norm, config.norm_placement, config.dropout)

    @classmethod
    def paths(cls, config: ModelConfig) -> Mapping[str, str]:
        """Stub and library have the same names."""
        return same_names(*(f"norm.{end}" for end in NORM))

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """x [B, S, D] -> [B, S, D]."""
        return self.learners(x, sublayer)


class NormAdapter(Adapter, LayerNorm):
    """The learner's norm."""

    replaces = LayerNorm

    @classmethod
    def build(cls, subject: Subject, config: ModelConfig) -> nn.Module:
        """In the size of this model."""
        return subject.part("LayerNorm")(config.d_model, config.norm_eps)

    @classmethod
    def paths(cls, config: ModelConfig) -> Mapping[str, str]:
        """Stub and library have the same names."""
        return same_names(*NORM)

    def forward(self, x: Tensor) -> Tensor:
        """x [..., D] -> [..., D]."""
        return self.learners(x)


ADAPTERS = [ResidualAdapter, NormAdapter]
