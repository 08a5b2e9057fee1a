"""Two stacks and a projection: the whole model. Paper: section 3, figure 1.

Takes token ids and makes its own masks. Knows nothing of text, of losses, or of how to search for a translation.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .cache import DecoderCache
from .config import ModelConfig
from .dropout import Dropout
from .embedding import TokenEmbedding
from .layers import DecoderLayer, EncoderLayer
from .masks import no_future, real_places
from .norm import make_norm
from .positions import LearnedPositions, RotaryPositions, Rotation, SinusoidalPositions, make_positions
from .trace import Edits, Trace, hand_on


def make_final_norm(config: ModelConfig) -> nn.Module:
    """The norm after a stack, or nothing: post-norm layers have normalised already."""
    if not config.has_final_norm:
        return nn.Identity()
    return make_norm(config.norm, config.d_model, eps=config.norm_eps, bias=config.bias)


class Encoder(nn.Module):
    """A stack of encoder layers: the source's vectors, each now knowing its context."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.layers = nn.ModuleList(EncoderLayer(config, name=f"encoder.{i}") for i in range(config.n_encoder_layers))
        self.norm = make_final_norm(config)

    def forward(
        self,
        x: Tensor,
        visible: Tensor | None = None,
        *,
        rotation: Rotation | None = None,
        trace: Trace | None = None,
        edits: Edits | None = None,
    ) -> Tensor:
        """x [B, S, D]; visible broadcasts to [B, H, S, S]. Returns the memory [B, S, D]."""
        x = hand_on("encoder.embedding", x, trace, edits)
        for i, layer in enumerate(self.layers):
            if edits is None or f"encoder.{i}" not in edits.layers_skipped:
                x = layer(x, visible, rotation=rotation, trace=trace, edits=edits)
            x = hand_on(f"encoder.{i}", x, trace, edits)
        return hand_on("encoder", self.norm(x), trace, edits)


class Decoder(nn.Module):
    """A stack of decoder layers: the target so far, each place now knowing what should come next."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.layers = nn.ModuleList(DecoderLayer(config, name=f"decoder.{i}") for i in range(config.n_decoder_layers))
        self.norm = make_final_norm(config)

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
        """x [B, T, D]; memory [B, S, D]; visible broadcasts to [B, H, T, T], memory_visible to [B, H, T, S].

        Returns [B, T, D].
        """
        x = hand_on("decoder.embedding", x, trace, edits)
        for i, layer in enumerate(self.layers):
            if edits is None or f"decoder.{i}" not in edits.layers_skipped:
                x = layer(
                    x,
                    memory,
                    visible,
                    memory_visible,
                    rotation=rotation,
                    self_cache=None if cache is None else cache.self_attention[i],
                    cross_cache=None if cache is None else cache.cross_attention[i],
                    trace=trace,
                    edits=edits,
                )
            x = hand_on(f"decoder.{i}", x, trace, edits)
        return hand_on("decoder", self.norm(x), trace, edits)


class Transformer(nn.Module):
    """Source ids and target ids in, logits for every next target token out."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        d_model, n_source, n_target = config.d_model, config.vocab_size, config.n_target_tokens
        # What is shared is registered once, so that a file of weights holds it once.
        self.source_embedding = (
            None
            if config.share_embeddings == "all"
            else TokenEmbedding(n_source, d_model, scaled=config.scale_embedding)
        )
        self.target_embedding = TokenEmbedding(n_target, d_model, scaled=config.scale_embedding)
        self.source_positions = make_positions(config)
        self.target_positions = make_positions(config)
        self.dropout = Dropout(config.dropout)
        self.encoder = Encoder(config)
        self.decoder = Decoder(config)
        self.output = nn.Linear(d_model, n_target, bias=False) if config.share_embeddings == "none" else None
        self.logits_bias = nn.Parameter(torch.zeros(n_target)) if config.logits_bias else None
        self._set_first_weights()

    def _set_first_weights(self) -> None:
        """Xavier for the linear maps, and no bias; tokens are projected as they are embedded, by 1/sqrt(d_model)."""
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        if self.output is not None:
            nn.init.normal_(self.output.weight, std=self.config.d_model**-0.5)

    def forward(self, src: Tensor, tgt_in: Tensor, *, trace: Trace | None = None, edits: Edits | None = None) -> Tensor:
        """src [B, S]; tgt_in [B, T], from `decoder_start_id` on. Returns logits [B, T, V]: what follows each place."""
        if src.size(0) != tgt_in.size(0):
            raise ValueError(f"src has {src.size(0)} sentences and tgt_in {tgt_in.size(0)}: row i must translate row i")
        memory = self.encode(src, trace=trace, edits=edits)  # [B, S, D]
        hidden = self.decode(tgt_in, memory, src, trace=trace, edits=edits)  # [B, T, D]
        return self.project(hidden)  # [B, T, V]

    def encode(self, src: Tensor, *, trace: Trace | None = None, edits: Edits | None = None) -> Tensor:
        """src [B, S] -> memory [B, S, D]."""
        if edits is not None:
            edits.check(self.config)
        embedding = self.target_embedding if self.source_embedding is None else self.source_embedding
        x, rotation = self._embed(src, embedding, self.source_positions, 0)
        return self.encoder(x, self._source_visible(src, edits), rotation=rotation, trace=trace, edits=edits)

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
        """tgt_in [B, T], memory [B, S, D] = encode(src), src [B, S] -> what `project` turns into logits: [B, T, D].

        With a cache, tgt_in holds only the places that the cache has not seen. tgt_in may have W rows (beams) to each
        row of src and memory, next to each other.
        """
        if edits is not None:
            edits.check(self.config)
        if src.size(0) == 0 or tgt_in.size(0) % src.size(0):
            raise ValueError(
                f"tgt_in has {tgt_in.size(0)} rows for {src.size(0)} sentences; each sentence needs equally many"
            )
        if cache is not None and len(cache.self_attention) != self.config.n_decoder_layers:
            raise ValueError(
                f"the cache has {len(cache.self_attention)} layers, the decoder {self.config.n_decoder_layers}: "
                "make it by DecoderCache(config.n_decoder_layers)"
            )
        start = 0 if cache is None else cache.length
        n_places = tgt_in.size(1)
        x, rotation = self._embed(tgt_in, self.target_embedding, self.target_positions, start)
        hidden = self.decoder(
            x,
            memory,
            no_future(n_places, start + n_places, tgt_in.device),
            self._source_visible(src, edits),
            rotation=rotation,
            cache=cache,
            trace=trace,
            edits=edits,
        )
        if cache is not None:
            cache.length = start + n_places
        return hidden

    def project(self, hidden: Tensor) -> Tensor:
        """hidden [B, T, D] -> logits [B, T, V]."""
        return F.linear(hidden, self.output_matrix, self.logits_bias)

    @property
    def output_matrix(self) -> Tensor:
        """What `project` multiplies by: [V, D]; the target's embedding, unless nothing is shared."""
        return self.target_embedding.table.weight if self.output is None else self.output.weight

    def _embed(
        self,
        ids: Tensor,
        embedding: TokenEmbedding,
        positions: SinusoidalPositions | LearnedPositions | RotaryPositions,
        start: int,
    ) -> tuple[Tensor, Rotation | None]:
        if ids.dim() != 2:
            raise ValueError(
                f"ids have shape {list(ids.shape)}; expected [sentences, places], such as ids[None] for one sentence"
            )
        n_places = ids.size(1)
        if start + n_places > self.config.max_length:
            raise ValueError(
                f"a sentence has {start + n_places} places, this model's max_length is {self.config.max_length}: "
                "cut the sentence, or build the model with a larger max_length"
            )
        x = embedding(ids)  # [B, S, D]
        if isinstance(positions, RotaryPositions):
            return self.dropout(x), positions(n_places, start)
        return self.dropout(x + positions(n_places, start)), None

    def _source_visible(self, src: Tensor, edits: Edits | None) -> Tensor:
        visible = real_places(src, self.config.pad_id)  # [B, 1, 1, S]
        return visible if edits is None else edits.hide_source(visible)
