"""The Transformer of "Attention Is All You Need" (Vaswani et al., 2017), needing torch and nothing else.

Read the files in this order; each opens with its section of the paper:

    config.py        every size and choice of a model, and the presets       table 3
    masks.py         who may look at whom                                    3.2.3
    dropout.py       forgetting at random while training                     5.4
    dot_product.py   attention: equation 1                                   3.2.1
    multi_head.py    many attentions side by side, with what they learn      3.2.2
    embedding.py     a vector for every token                                3.4
    positions.py     where a token stands                                    3.5
    feedforward.py   what each place thinks over alone                       3.3
    norm.py          normalisation, and the residual connection              3.1, 5.4
    cache.py         keys and values already computed, for decoding          (not in the paper)
    trace.py         what one run saw, and what it was made to ignore        (not in the paper)
    layers.py        an encoder layer, a decoder layer                       3.1
    transformer.py   two stacks and a projection: the whole model            3, figure 1

One legend of axes holds for every shape comment in the project:

    B  batch rows, one a sentence; while searching there are B * W, W beams to a sentence
    S  source places        T  target places        Q  query places        K  key places
    D  d_model              H  heads                E  width of one head   F  d_ff
    V  vocabulary           L  layers               W  beam width          R  runs of one batch, two for R-Drop
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .cache import DecoderCache
    from .config import ModelConfig
    from .dot_product import attention
    from .embedding import TokenEmbedding
    from .feedforward import FeedForward
    from .layers import DecoderLayer, EncoderLayer
    from .masks import no_future, real_places
    from .multi_head import MultiHeadAttention, merge_heads, split_heads
    from .norm import LayerNorm, Residual, RMSNorm
    from .positions import LearnedPositions, RotaryPositions, SinusoidalPositions
    from .trace import Edits, Trace
    from .transformer import Decoder, Encoder, Transformer

# Exported on first use, so that `ModelConfig` can be had without waiting for torch to load. No file may have the name
# of an export: importing it would put the file in the export's place.
_HOME = {
    "ModelConfig": "config",
    "real_places": "masks",
    "no_future": "masks",
    "attention": "dot_product",
    "split_heads": "multi_head",
    "merge_heads": "multi_head",
    "MultiHeadAttention": "multi_head",
    "TokenEmbedding": "embedding",
    "SinusoidalPositions": "positions",
    "LearnedPositions": "positions",
    "RotaryPositions": "positions",
    "FeedForward": "feedforward",
    "LayerNorm": "norm",
    "RMSNorm": "norm",
    "Residual": "norm",
    "DecoderCache": "cache",
    "Trace": "trace",
    "Edits": "trace",
    "EncoderLayer": "layers",
    "DecoderLayer": "layers",
    "Encoder": "transformer",
    "Decoder": "transformer",
    "Transformer": "transformer",
}

__all__ = [
    "Decoder",
    "DecoderCache",
    "DecoderLayer",
    "Edits",
    "Encoder",
    "EncoderLayer",
    "FeedForward",
    "LayerNorm",
    "LearnedPositions",
    "ModelConfig",
    "MultiHeadAttention",
    "RMSNorm",
    "Residual",
    "RotaryPositions",
    "SinusoidalPositions",
    "TokenEmbedding",
    "Trace",
    "Transformer",
    "attention",
    "merge_heads",
    "no_future",
    "real_places",
    "split_heads",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
