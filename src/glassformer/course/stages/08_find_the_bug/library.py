"""The library's own, which hands its weights over in a trace."""

from torch import Tensor

from glassformer.nn import MultiHeadAttention as LibraryAttention
from glassformer.nn import Trace, merge_heads, split_heads


class MultiHeadAttention(LibraryAttention):
    """Returns the weights too."""

    def forward(  # type: ignore[override]
        self, query: Tensor, key: Tensor, value: Tensor
    ) -> tuple[Tensor, Tensor]:
        """As the stage has it."""
        trace = Trace()
        return super().forward(query, key, value, trace=trace), trace.weights[self.name]


__all__ = ["MultiHeadAttention", "merge_heads", "split_heads"]
