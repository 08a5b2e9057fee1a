"""The library's own."""

from glassformer.nn import attention

__all__ = ["attention"]
