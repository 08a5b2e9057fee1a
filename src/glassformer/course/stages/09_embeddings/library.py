"""The library's own."""

from glassformer.nn import TokenEmbedding

__all__ = ["TokenEmbedding"]
