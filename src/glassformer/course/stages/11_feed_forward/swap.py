"""Stage 11 in the real model: every feed-forward becomes the learner's."""

from collections.abc import Mapping

from torch import Tensor, nn

from glassformer.course.swap import Adapter
from glassformer.course.ties import FEED_FORWARD, same_names
from glassformer.course.universe import Subject
from glassformer.nn import FeedForward, ModelConfig


class FeedForwardAdapter(Adapter, FeedForward):
    """The learner's feed-forward."""

    replaces = FeedForward

    @classmethod
    def build(cls, subject: Subject, config: ModelConfig) -> nn.Module:
        """In the sizes of this model."""
        return subject.part("FeedForward")(config.d_model, config.d_ff, config.activation_dropout)

    @classmethod
    def paths(cls, config: ModelConfig) -> Mapping[str, str]:
        """Stub and library have the same names."""
        return same_names(*FEED_FORWARD)

    def forward(self, x: Tensor) -> Tensor:
        """x [B, S, D] -> [B, S, D]."""
        return self.learners(x)


ADAPTERS = [FeedForwardAdapter]
