"""Attention of short sentences that training.cpp computes, with its gradient: what nn's layers do, in one pass.

For training on a CPU. It remembers queries, keys and values only, and works the weights out anew on the way back.
"""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from glassformer.nn.dot_product import check_mask
from glassformer.nn.dropout import first_kept, fits_in_16_bits, random_bits
from glassformer.nn.multi_head import MultiHeadAttention
from glassformer.nn.positions import Rotation

from .library import library
from .linear import went_well

# Places of the longest sentence; beyond them torch's products of whole batches are the quicker ones (docs/results.md).
LONGEST = {torch.float32: 64, torch.bfloat16: 40}


@contextmanager
def compiled_attention(model: nn.Module) -> Iterator[None]:
    """Let the model's layers compute attention by training.cpp where that is quicker; nothing changes without it."""
    is_on_cpu = all(parameter.device.type == "cpu" for parameter in model.parameters())
    # By type, not isinstance: whoever varies the class means his own way.
    layers = [module for module in model.modules() if type(module) is MultiHeadAttention]
    before = [layer.kernel for layer in layers]
    for layer in layers:
        layer.kernel = CompiledAttention() if is_on_cpu and library() is not None else None
    try:
        yield
    finally:
        for layer, kernel in zip(layers, before, strict=True):
            layer.kernel = kernel


class AttentionFields(ctypes.Structure):
    """`Attention` of training.cpp."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("query", "key", "value", "visible")),
        ("visible_by", ctypes.c_int64 * 4),
        *((name, ctypes.c_void_p) for name in ("cosines", "sines", "bits")),
        ("first_kept", ctypes.c_int32),
        ("scale_of_kept", ctypes.c_float),
        *((name, ctypes.c_int32) for name in ("n_sentences", "n_heads", "n_queries", "n_keys", "head_width")),
        *((name, ctypes.c_int32) for name in ("is_bfloat16", "n_threads")),
    )


class Around(NamedTuple):
    """What there is to an attention besides tensors of its own."""

    n_heads: int
    rotation: Rotation | None
    dropout: float


class CompiledAttention:
    """A kernel as nn.multi_head.Kernel describes it. Holds nothing: a model with it can be copied and pickled."""

    def suits(self, query: Tensor, key: Tensor, dropout: float) -> bool:
        """Whether it is the quicker way for these queries [B, Q, D] and what the keys come from, [B, K, D]."""
        return (
            query.device.type == "cpu"
            and query.dim() == 3
            and max(query.size(1), key.size(1)) <= LONGEST.get(query.dtype, 0)
            and query.size(0) == key.size(0)  # not several beams to a sentence
            and (dropout == 0 or fits_in_16_bits(dropout))
            and not torch.compiler.is_compiling()
            and library() is not None
        )

    def __call__(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        n_heads: int,
        visible: Tensor | None,
        rotation: Rotation | None,
        dropout: float,
    ) -> Tensor:
        """query [B, Q, H * E]; key and value [B, K, H * E]. Returns the mixture, [B, Q, H * E]."""
        check_mask(visible)
        check_shapes(query, key, value, n_heads, rotation)
        shape = (query.size(0), n_heads, query.size(1), key.size(1))
        visible = None if visible is None else visible.expand(shape)
        bits = random_bits((*shape[:2], key.size(1), query.size(1))) if dropout else None  # [B, H, K, Q]
        if rotation is not None:
            rotation = Rotation(*(table.float().contiguous() for table in rotation))
        tensors = query.contiguous(), key.contiguous(), value.contiguous(), visible, bits
        mixture: Tensor = Attend.apply(*tensors, Around(n_heads, rotation, dropout))  # type: ignore[no-untyped-call]
        return mixture


def check_shapes(query: Tensor, key: Tensor, value: Tensor, n_heads: int, rotation: Rotation | None) -> None:
    """Refuse what does not fit together: training.cpp would read, and write, beside it."""
    if key.shape != value.shape or query.shape[::2] != key.shape[::2] or len({query.dtype, key.dtype, value.dtype}) > 1:
        said = ", ".join(f"{list(tensor.shape)} {tensor.dtype}" for tensor in (query, key, value))
        raise ValueError(
            f"query, key and value are {said}: they must be [B, Q, D], [B, K, D] and [B, K, D], of one type"
        )
    wanted = (query.size(1), query.size(2) / n_heads / 2)  # [Q, E / 2]
    if rotation is not None and (rotation.cos.shape != wanted or query.size(1) != key.size(1)):
        found = f"{list(rotation.cos.shape)}, for {query.size(1)} queries and {key.size(1)} keys"
        raise ValueError(f"the rotation's tables are {found} in {n_heads} heads of {query.size(2) // n_heads} columns")


class Attend(torch.autograd.Function):
    """training.cpp's attention as torch's autograd knows functions."""

    @staticmethod
    def forward(
        ctx: Any,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        visible: Tensor | None,
        bits: Tensor | None,
        around: Around,
    ) -> Tensor:
        """query [B, Q, D], key and value [B, K, D], visible [B, H, Q, K], bits [B, H, K, Q] -> mixture [B, Q, D]."""
        ctx.save_for_backward(query, key, value, visible, bits)
        ctx.around = around
        mixture, fields = torch.empty_like(query), fields_of(query, key, value, visible, bits, around)
        went_well(compiled().attention_forward(ctypes.byref(fields), mixture.data_ptr()))
        return mixture

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *passed_back: Tensor) -> tuple[Tensor | None, ...]:
        """The gradients by query [B, Q, D], key and value [B, K, D]."""
        query, key, value, visible, bits = ctx.saved_tensors
        gradients = tuple(torch.empty_like(tensor) for tensor in (query, key, value))
        fields = fields_of(query, key, value, visible, bits, ctx.around)
        by_mixture = passed_back[0].contiguous()
        addresses = [tensor.data_ptr() for tensor in (by_mixture, *gradients)]
        went_well(compiled().attention_backward(ctypes.byref(fields), *addresses))
        return *gradients, None, None, None


def compiled() -> ctypes.CDLL:
    """The functions of training.cpp, which are there: `suits` has asked."""
    functions = library()
    assert functions is not None
    return functions


def fields_of(
    query: Tensor, key: Tensor, value: Tensor, visible: Tensor | None, bits: Tensor | None, around: Around
) -> AttentionFields:
    """Where training.cpp finds everything. It holds addresses only: the tensors must live until it returns."""
    n_heads, rotation, dropout = around
    return AttentionFields(
        *(None if tensor is None else tensor.data_ptr() for tensor in (query, key, value, visible)),
        (ctypes.c_int64 * 4)(*((0,) * 4 if visible is None else visible.stride())),
        *(None if table is None else table.data_ptr() for table in (*(rotation or (None, None)), bits)),
        first_kept(dropout),
        1 / (1 - dropout),
        query.size(0),
        n_heads,
        query.size(1),
        key.size(1),
        query.size(2) // n_heads,
        query.dtype == torch.bfloat16,
        torch.get_num_threads(),
    )
