"""Stage 14 in the real model: the learner's decoder, which remembers nothing and so reads everything anew.

Of a cache it uses one corner: the vectors that were handed in so far, and the memory. Stage 23 does better.
"""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from glassformer.course.listening import find_stack, listening
from glassformer.course.swap import Adapter
from glassformer.course.ties import same_names, stack_paths
from glassformer.course.universe import Subject
from glassformer.nn import Decoder, DecoderCache, Edits, ModelConfig, Trace, no_future
from glassformer.nn.positions import Rotation


class DecoderAdapter(Adapter, Decoder):
    """The learner's decoder."""

    replaces = Decoder

    def __init__(self, learners: nn.Module, library: nn.Module, subject: Subject, config: ModelConfig) -> None:
        super().__init__(learners, library, subject, config)
        self.stack = find_stack(subject, learners, "decoder")

    @classmethod
    def build(cls, subject: Subject, config: ModelConfig) -> nn.Module:
        """In the sizes of this model."""
        sizes = (config.d_model, config.n_heads, config.d_ff, config.dropout, config.norm_placement)
        return subject.part("Decoder")(config.n_decoder_layers, *sizes)

    @classmethod
    def paths(cls, config: ModelConfig) -> Mapping[str, str]:
        """Stub and library have the same names."""
        return same_names(*stack_paths(config.n_decoder_layers, cross=True, final_norm=config.has_final_norm))

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        visible: Tensor | None = None,
        memory_visible: Tensor | None = None,
        *,
        rotation: Rotation | None = None,
        cache: DecoderCache | None = None,
        trace: Trace | None = None,
        edits: Edits | None = None,
    ) -> Tensor:
        """x [B, T, D], or [B * W, T, D] for W beams to a sentence; memory [B, S, D]. Returns as many places as x has."""
        n_new = x.size(1)
        if cache is not None and cache.self_attention:
            if edits is not None and edits.activations_replaced:
                raise ValueError(
                    "a decoder that reads everything anew at each step cannot have single activations replaced"
                )
            before = cache.self_attention[0]
            x = before.add(x[:, None], x[:, None])[0][:, 0]  # [B * W, all so far, D]
            if not cache.cross_attention[0].complete:
                cache.cross_attention[0].add(memory[:, None], memory[:, None])
            visible = no_future(x.size(1), x.size(1), x.device)
        beams = x.size(0) // memory.size(0)
        if beams > 1:
            memory = memory.repeat_interleave(beams, dim=0)  # [B * W, S, D]
            memory_visible = None if memory_visible is None else memory_visible.repeat_interleave(beams, dim=0)
        last = None if n_new == x.size(1) else n_new
        with listening([self.stack], trace, edits, last=last):
            hidden: Tensor = self.learners(x, memory, visible, memory_visible)
        assert isinstance(hidden, torch.Tensor)
        return hidden[:, -n_new:]


ADAPTERS = [DecoderAdapter]
