"""Stage 09 in the real model: the learner's table and its factor. The output projects with the same table."""

from collections.abc import Mapping
from types import SimpleNamespace

from torch import Tensor, nn

from glassformer.course.swap import Adapter
from glassformer.course.ties import same_names
from glassformer.course.universe import Subject
from glassformer.nn import ModelConfig, TokenEmbedding


class EmbeddingAdapter(Adapter, TokenEmbedding):
    """The learner's embedding."""

    replaces = TokenEmbedding

    def __init__(self, learners: nn.Module, library: nn.Module, subject: Subject, config: ModelConfig) -> None:
        super().__init__(learners, library, subject, config)
        table = subject.inside(learners, "table")
        # For the projection, which reads `table.weight`; past nn.Module, or the table would be registered twice.
        object.__setattr__(self, "table", table if isinstance(table, nn.Embedding) else SimpleNamespace(weight=table))

    @classmethod
    def build(cls, subject: Subject, config: ModelConfig) -> nn.Module:
        """In the sizes of this model."""
        return subject.part("TokenEmbedding")(config.vocab_size, config.d_model)

    @classmethod
    def paths(cls, config: ModelConfig) -> Mapping[str, str]:
        """Stub and library have the same name."""
        return same_names("table")

    def forward(self, ids: Tensor) -> Tensor:
        """ids [B, S] -> [B, S, D]."""
        return self.learners(ids)


ADAPTERS = [EmbeddingAdapter]
