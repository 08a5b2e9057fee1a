"""What a search asks for, step after step, answered by step.cpp: the same as FastStepper's, to rounding."""

import ctypes
import weakref

from torch import Tensor

from glassformer.fast.candidates import log_probabilities
from glassformer.fast.encoder import encode
from glassformer.fast.linear import Linear
from glassformer.fast.weights import DecoderLayerWeights, Norm, TransformerWeights
from glassformer.nn.positions import RotaryPositions

from .linear import CompiledLinear, made, went_well

MOST = 64  # tokens of a row that are kept in order one by one; to sort more of them, torch is faster

ACTIVATIONS, NORMS = ("relu", "gelu", "silu"), ("none", "layer", "rms")  # as step.cpp numbers them


class NormFields(ctypes.Structure):
    """`Norm` of step.cpp."""

    _fields_ = (
        ("kind", ctypes.c_int32), ("eps", ctypes.c_float), ("weight", ctypes.c_void_p), ("bias", ctypes.c_void_p)
    )  # fmt: skip


MAPS = ("qkv", "out", "query", "cross_out", "widen", "narrow")


class LayerFields(ctypes.Structure):
    """`Layer` of step.cpp."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in MAPS),
        *((name, NormFields) for name in ("norm", "cross_norm", "feed_forward_norm")),
    )


SIZES = ("d_model", "n_heads", "n_layers", "d_ff", "activation", "pre_norm", "rotary")


class DecoderFields(ctypes.Structure):
    """`Decoder` of step.cpp."""

    _fields_ = (
        *((name, ctypes.c_int32) for name in SIZES),
        ("embedding_scale", ctypes.c_float),
        *((name, ctypes.c_void_p) for name in ("embeddings", "positions", "sines", "cross", "layers")),
        ("final_norm", NormFields),
    )


class CompiledDecoder:
    """A model's weights, told to step.cpp once; every batch reads them."""

    def __init__(self, functions: ctypes.CDLL, weights: TransformerWeights) -> None:
        config = weights.config
        self.functions, self.weights = functions, weights
        self._held: list[Tensor] = []  # step.cpp knows addresses only: what they point to must live as long
        positions = weights.target_positions
        rotary = isinstance(positions, RotaryPositions)
        tables = (positions.cos, positions.sin) if isinstance(positions, RotaryPositions) else (positions.table, None)
        layers = [self._layer(layer) for layer in weights.decoder]
        self._layers = (LayerFields * len(layers))(*layers)
        sizes = (
            config.d_model, config.n_heads, config.n_decoder_layers, config.d_ff,
            ACTIVATIONS.index(config.activation), weights.pre_norm, rotary
        )  # fmt: skip
        self.fields = DecoderFields(
            *sizes,
            weights.target_scale,
            self._hold(weights.target_table),
            *(self._hold(table) for table in tables),
            address_of(weights.cross_keys_values),
            ctypes.addressof(self._layers),
            self._norm(weights.decoder_norm),
        )

    def _hold(self, tensor: Tensor | None) -> int | None:
        if tensor is None:
            return None
        self._held.append(tensor.detach().contiguous())
        return self._held[-1].data_ptr()

    def _norm(self, norm: Norm) -> NormFields:
        return NormFields(NORMS.index(norm.kind), norm.eps, self._hold(norm.weight), self._hold(norm.bias))

    def _layer(self, layer: DecoderLayerWeights) -> LayerFields:
        attention, cross, feed_forward = layer
        maps = (attention.qkv, attention.out, cross.query, cross.out, feed_forward.widen, feed_forward.narrow)
        return LayerFields(
            *(address_of(linear) for linear in maps), *(self._norm(part.norm) for part in layer)
        )  # fmt: skip


def address_of(linear: Linear) -> int:
    """Where step.cpp keeps this map."""
    assert isinstance(linear, CompiledLinear)
    return linear.address


class CompiledStepper:
    """A batch of sentences that step.cpp continues token by token."""

    def __init__(self, decoder: CompiledDecoder, src: Tensor) -> None:
        weights = decoder.weights
        self.decoder, self.project, self.functions = decoder, weights.project, decoder.functions
        self.n_tokens = weights.config.n_target_tokens
        self.first = src.new_full((src.size(0),), weights.config.decoder_start_id)  # [B]
        self.nothing = src.new_empty(0)  # ids barred: none
        real = src != weights.config.pad_id  # [B, S]
        memory = encode(weights, src, None if bool(real.all()) else real[:, None, None, :])  # [B * S, D]
        memory, real = memory.contiguous(), real.contiguous()
        self.address = made(
            self.functions.batch_new(ctypes.addressof(decoder.fields), *src.shape, memory.data_ptr(), real.data_ptr())
        )
        self.length = 0  # target places already decoded
        weakref.finalize(self, self.functions.batch_free, self.address)

    def start(self) -> Tensor:
        """Log-probabilities of each sentence's first token: [B, V]."""
        return self.advance(self.first, None)

    def advance(self, tokens: Tensor, parents: Tensor | None) -> Tensor:
        """Log-probabilities of what follows `tokens`, one new token to each row: [B * W, V]."""
        return log_probabilities(self.project(self._advance(tokens, parents)), self.nothing)[:, : self.n_tokens]

    def advance_to_best(self, tokens: Tensor, parents: Tensor | None, k: int, barred: Tensor) -> tuple[Tensor, Tensor]:
        """The k best log-probabilities after `tokens` and their ids: [B * W, k] each, the best first."""
        hidden, n_rows, k = self._advance(tokens, parents), tokens.size(0), min(k, self.n_tokens)
        if k > MOST:
            return log_probabilities(self.project(hidden), barred)[:, : self.n_tokens].topk(k)
        best, ids, barred = hidden.new_empty(n_rows, k), tokens.new_empty(n_rows, k), barred.contiguous()
        sought = (n_rows, k, barred.data_ptr(), barred.size(0))
        went_well(
            self.functions.best_of(
                address_of(self.project), hidden.data_ptr(), *sought, best.data_ptr(), ids.data_ptr()
            )
        )
        return best, ids

    def keep(self, rows: Tensor) -> None:
        """Keep these sentences, with all their beams."""
        rows = rows.contiguous()
        went_well(self.functions.batch_keep(self.address, rows.data_ptr(), rows.size(0)))

    def _advance(self, tokens: Tensor, parents: Tensor | None) -> Tensor:
        """Row i goes on from what was row `parents[i]` (None: from itself): [B * W] -> [B * W, D]."""
        tokens, parents = tokens.contiguous(), None if parents is None else parents.contiguous()
        config = self.decoder.weights.config
        if self.length == config.max_length:
            raise ValueError(f"max_length is {config.max_length}; there is no place after that")
        self.length += 1
        hidden = self.decoder.weights.target_table.new_empty(tokens.size(0), config.d_model)
        from_whom = None if parents is None else parents.data_ptr()
        went_well(
            self.functions.batch_advance(self.address, tokens.data_ptr(), from_whom, tokens.size(0), hidden.data_ptr())
        )
        return hidden
