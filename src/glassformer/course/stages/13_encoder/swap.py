"""Stage 13 in the real model: the learner's encoder. A learner's encoder knows no trace: listening.py hears along."""

from collections.abc import Mapping

from torch import Tensor, nn

from glassformer.course.listening import find_stack, listening
from glassformer.course.swap import Adapter
from glassformer.course.ties import same_names, stack_paths
from glassformer.course.universe import Subject
from glassformer.nn import Edits, Encoder, ModelConfig, Trace
from glassformer.nn.positions import Rotation


class EncoderAdapter(Adapter, Encoder):
    """The learner's encoder."""

    replaces = Encoder

    def __init__(self, learners: nn.Module, library: nn.Module, subject: Subject, config: ModelConfig) -> None:
        super().__init__(learners, library, subject, config)
        self.stack = find_stack(subject, learners, "encoder")

    @classmethod
    def build(cls, subject: Subject, config: ModelConfig) -> nn.Module:
        """In the sizes of this model."""
        sizes = (config.d_model, config.n_heads, config.d_ff, config.dropout, config.norm_placement)
        return subject.part("Encoder")(config.n_encoder_layers, *sizes)

    @classmethod
    def paths(cls, config: ModelConfig) -> Mapping[str, str]:
        """Stub and library have the same names."""
        return same_names(*stack_paths(config.n_encoder_layers, cross=False, final_norm=config.has_final_norm))

    def forward(
        self,
        x: Tensor,
        visible: Tensor | None = None,
        *,
        rotation: Rotation | None = None,
        trace: Trace | None = None,
        edits: Edits | None = None,
    ) -> Tensor:
        """x [B, S, D] -> the memory [B, S, D]."""
        with listening([self.stack], trace, edits):
            return self.learners(x, visible)


ADAPTERS = [EncoderAdapter]
