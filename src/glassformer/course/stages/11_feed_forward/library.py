"""The library's own."""

from glassformer.nn import FeedForward

__all__ = ["FeedForward"]
