"""Attention of short sentences that training.cpp computes, with its gradient: what nn's layers do, in one pass.

For training on a CPU. It remembers queries, keys and values only, and works the weights out anew on the way back.
"""

import ctypes
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from glassformer.nn.dot_product import check_mask
from glassformer.nn.dropout import first_kept, fits_in_16_bits, random_bits
from glassformer.nn.multi_head import MultiHeadAttention
from glassformer.nn.positions import Rotation

from .library import library
from .linear import went_well

# Places of the longest sentence; beyond them torch's products of whole batches are the quicker ones (docs/results.md).
LONGEST = {torch.float32: 64, torch.bfloat16: 40}


def use_compiled_attention(model: nn.Module) -> None:
    """Let the model's layers compute attention by training.cpp where that is quicker; nothing changes without it."""
    is_on_cpu = all(parameter.device.type == "cpu" for parameter in model.parameters())
    functions = library() if is_on_cpu else None
    kernel = None if functions is None else CompiledAttention(functions)
    for module in model.modules():
        if isinstance(module, MultiHeadAttention):
            module.kernel = kernel


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
    """What there is to an attention besides queries, keys and values."""

    n_heads: int
    visible: Tensor | None  # [B, H, Q, K]
    rotation: Rotation | None
    bits: Tensor | None  # of dropout, [B, H, K, Q]
    dropout: float


class CompiledAttention:
    """A kernel as nn.multi_head.Kernel describes it."""

    def __init__(self, functions: ctypes.CDLL) -> None:
        self.functions = functions

    def suits(self, query: Tensor, key: Tensor, dropout: float) -> bool:
        """Whether it is the quicker way for these queries [B, Q, D] and what the keys come from, [B, K, D]."""
        return (
            query.device.type == "cpu"
            and max(query.size(1), key.size(1)) <= LONGEST.get(query.dtype, 0)
            and query.size(0) == key.size(0)  # not several beams to a sentence
            and (dropout == 0 or fits_in_16_bits(dropout))
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
        shape = (query.size(0), n_heads, query.size(1), key.size(1))
        around = Around(
            n_heads,
            None if visible is None else visible.expand(shape),
            None if rotation is None else Rotation(*(table.contiguous() for table in rotation)),
            random_bits((*shape[:2], key.size(1), query.size(1))) if dropout else None,
            dropout,
        )
        mixture: Tensor = Attend.apply(  # type: ignore[no-untyped-call]
            query.contiguous(), key.contiguous(), value.contiguous(), around, self.functions
        )
        return mixture


class Attend(torch.autograd.Function):
    """training.cpp's attention as torch's autograd knows functions."""

    @staticmethod
    def forward(ctx: Any, query: Tensor, key: Tensor, value: Tensor, around: Around, functions: ctypes.CDLL) -> Tensor:
        """query [B, Q, D], key and value [B, K, D] -> the mixture [B, Q, D]."""
        ctx.save_for_backward(query, key, value)
        ctx.around, ctx.functions = around, functions
        mixture = torch.empty_like(query)
        fields = fields_of(query, key, value, around)
        went_well(functions.attention_forward(ctypes.byref(fields), mixture.data_ptr()))
        return mixture

    @staticmethod
    def backward(ctx: Any, *passed_back: Tensor) -> tuple[Tensor | None, ...]:
        """The gradients by query [B, Q, D], key and value [B, K, D]."""
        query, key, value = ctx.saved_tensors
        gradients = tuple(torch.empty_like(tensor) for tensor in (query, key, value))
        fields, by_mixture = fields_of(query, key, value, ctx.around), passed_back[0].contiguous()
        addresses = [tensor.data_ptr() for tensor in (by_mixture, *gradients)]
        went_well(ctx.functions.attention_backward(ctypes.byref(fields), *addresses))
        return *gradients, None, None


def fields_of(query: Tensor, key: Tensor, value: Tensor, around: Around) -> AttentionFields:
    """Where training.cpp finds everything. It holds addresses only: the tensors must live until it returns."""
    n_heads, visible, rotation, bits, dropout = around
    return AttentionFields(
        query.data_ptr(),
        key.data_ptr(),
        value.data_ptr(),
        None if visible is None else visible.data_ptr(),
        (ctypes.c_int64 * 4)(*((0,) * 4 if visible is None else visible.stride())),
        None if rotation is None else rotation.cos.data_ptr(),
        None if rotation is None else rotation.sin.data_ptr(),
        None if bits is None else bits.data_ptr(),
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
