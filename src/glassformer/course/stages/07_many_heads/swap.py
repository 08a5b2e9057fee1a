"""Stage 07 in the real model: every attention, in encoder and decoder, becomes the learner's.

A learner's attention projects what it is handed: so where the library keeps keys and values that are projected, the
cache keeps what came in.
"""

from collections.abc import Mapping

from torch import Tensor, nn

from glassformer.course.listening import attend, find_attention
from glassformer.course.swap import Adapter
from glassformer.course.ties import ATTENTION, same_names
from glassformer.course.universe import Subject
from glassformer.nn import Edits, ModelConfig, MultiHeadAttention, Trace
from glassformer.nn.cache import KeyValues
from glassformer.nn.positions import Rotation


class AttentionAdapter(Adapter, MultiHeadAttention):
    """The learner's attention, which answers with its weights too."""

    replaces = MultiHeadAttention

    def __init__(self, learners: nn.Module, library: nn.Module, subject: Subject, config: ModelConfig) -> None:
        super().__init__(learners, library, subject, config)
        assert isinstance(library, MultiHeadAttention)
        self.name = library.name
        self.heard = find_attention(subject, learners, self.name)

    @classmethod
    def build(cls, subject: Subject, config: ModelConfig) -> nn.Module:
        """In the sizes of this model."""
        return subject.part("MultiHeadAttention")(config.d_model, config.n_heads)

    @classmethod
    def paths(cls, config: ModelConfig) -> Mapping[str, str]:
        """Stub and library have the same names."""
        return same_names(*ATTENTION)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        visible: Tensor | None = None,
        *,
        rotation: Rotation | None = None,
        cache: KeyValues | None = None,
        trace: Trace | None = None,
        edits: Edits | None = None,
    ) -> Tensor:
        """query [B, Q, D], or [B * W, Q, D] for W beams to a sentence; key and value [B, K, D]. Returns as query."""
        if cache is not None:
            # In the shape in which keys are kept, as if there were one head: [B, 1, K, D].
            kept = cache.read() if cache.complete else cache.add(key[:, None], value[:, None])
            key, value = kept[0][:, 0], kept[1][:, 0]
        beams = query.size(0) // key.size(0)
        if beams > 1:  # more queries of the same sentence, each alone before all keys
            query = query.reshape(key.size(0), -1, query.size(-1))  # [B, W * Q, D]
        answer = self.learners(query, key, value, visible)
        output, weights = attend(self.heard, (query, key, value), answer, None, edits)
        if beams > 1:
            weights = weights.unflatten(2, (beams, -1)).transpose(1, 2).flatten(0, 1)  # [B * W, H, Q, K]
            query = query.reshape(key.size(0) * beams, -1, query.size(-1))
            output = output.reshape(query.shape)
        attend(self.heard, (query, key, value), (output, weights), trace, None)
        return output


ADAPTERS = [AttentionAdapter]
