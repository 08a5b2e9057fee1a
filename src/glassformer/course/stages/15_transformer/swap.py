"""Stage 15 in the real model: all of it is the learner's. The library's calls are handed on to the learner's methods."""

from collections.abc import Mapping

from torch import Tensor, nn

from glassformer.course.listening import find_stack, listening
from glassformer.course.swap import Adapter
from glassformer.course.ties import stack_paths
from glassformer.course.universe import Subject
from glassformer.nn import DecoderCache, Edits, ModelConfig, Trace, Transformer


class TransformerAdapter(Adapter, Transformer):
    """The learner's model."""

    replaces = Transformer

    def __init__(self, learners: nn.Module, library: nn.Module, subject: Subject, config: ModelConfig) -> None:
        super().__init__(learners, library, subject, config)
        self.config = config
        self.stacks = {
            name: find_stack(subject, subject.inside(learners, name), name) for name in ("encoder", "decoder")
        }

    @classmethod
    def build(cls, subject: Subject, config: ModelConfig) -> nn.Module:
        """In the sizes of this model."""
        return subject.part("Transformer")(
            config.vocab_size, config.d_model, config.n_heads, config.d_ff, config.n_encoder_layers,
            config.n_decoder_layers, dropout=config.dropout, placement=config.norm_placement, pad_id=config.pad_id,
            max_length=config.max_length,
        )  # fmt: skip

    @classmethod
    def paths(cls, config: ModelConfig) -> Mapping[str, str]:
        """The table has another name in the library, which may have one for each side."""
        encoder = stack_paths(config.n_encoder_layers, cross=False, final_norm=config.has_final_norm)
        decoder = stack_paths(config.n_decoder_layers, cross=True, final_norm=config.has_final_norm)
        both = [*(f"encoder.{path}" for path in encoder), *(f"decoder.{path}" for path in decoder)]
        return {"embedding.table": "target_embedding.table"} | {path: path for path in both}

    def forward(self, src: Tensor, tgt_in: Tensor, *, trace: Trace | None = None, edits: Edits | None = None) -> Tensor:
        """src [B, S], tgt_in [B, T] -> logits [B, T, V]."""
        self._check(edits)
        with listening(list(self.stacks.values()), trace, edits, hide_source=True):
            return self.learners(src, tgt_in)

    def encode(self, src: Tensor, *, trace: Trace | None = None, edits: Edits | None = None) -> Tensor:
        """src [B, S] -> memory [B, S, D]."""
        self._check(edits)
        with listening([self.stacks["encoder"]], trace, edits, hide_source=True):
            return self.learners.encode(src)

    def decode(
        self,
        tgt_in: Tensor,
        memory: Tensor,
        src: Tensor,
        *,
        cache: DecoderCache | None = None,
        trace: Trace | None = None,
        edits: Edits | None = None,
    ) -> Tensor:
        """tgt_in [B, T], or [B * W, T] for W beams to a sentence. A cache keeps the ids: all are decoded anew."""
        self._check(edits)
        n_new = tgt_in.size(1)
        if cache is not None:
            if edits is not None and edits.activations_replaced:
                raise ValueError(
                    "a model that reads everything anew at each step cannot have single activations replaced"
                )
            cache.length += n_new
            if cache.self_attention:
                ids = tgt_in[:, None, :, None]  # as keys are kept: [rows, heads, places, width]
                tgt_in = cache.self_attention[0].add(ids, ids)[0][:, 0, :, 0]  # [B * W, all so far]
                if not cache.cross_attention[0].complete:
                    cache.cross_attention[0].add(memory[:, None], memory[:, None])
        beams = tgt_in.size(0) // src.size(0)
        if beams > 1:
            memory, src = memory.repeat_interleave(beams, dim=0), src.repeat_interleave(beams, dim=0)
        last = None if n_new == tgt_in.size(1) else n_new
        with listening([self.stacks["decoder"]], trace, edits, last=last, hide_source=True):
            hidden: Tensor = self.learners.decode(tgt_in, memory, src)
        return hidden[:, -n_new:]

    def project(self, hidden: Tensor) -> Tensor:
        """hidden [B, T, D] -> logits [B, T, V]. A search asks for one place, [B, D]; a learner may count on three axes."""
        if hidden.dim() == 2:
            return self.learners.project(hidden[:, None])[:, 0]
        return self.learners.project(hidden)

    def _check(self, edits: Edits | None) -> None:
        if edits is not None:
            edits.check(self.config)


ADAPTERS = [TransformerAdapter]
