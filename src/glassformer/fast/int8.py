"""A linear map with weights of eight bits, packed once. Not in the paper.

Every row of activations has a scale of its own: one scale for the whole batch, as torch's dynamic quantisation has it,
would make a sentence's translation depend on its neighbours. Weights have one scale for each output.
"""

import warnings

import torch
from torch import Tensor

STEPS = 127.0  # a row's largest number becomes 127 steps from zero, to either side
ZERO = 128  # activations are kept as unsigned bytes: zero stands in the middle
FEW = 8  # rows up to which an operation costs its call rather than its numbers
SMALLEST = 1e-20  # what a row of zeros is divided by


def int8_works() -> bool:
    """Whether torch has packed int8 products for this processor."""
    return torch.backends.quantized.engine in ("x86", "fbgemm")


class Int8Linear:
    """rows @ weight.T + bias, computed with bytes and added up in 32 bits."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        self.bias = None if bias is None else bias.detach().float()  # [out]
        self.packed = pack(weight.detach().float())
        self.multiply = torch.ops.quantized.linear_with_input_q_dq_qweight_dq_output_fp32.default

    def __call__(self, rows: Tensor) -> Tensor:
        """rows [N, in] -> [N, out]."""
        largest = largest_of(rows)  # [N, 1]
        product: Tensor = self.multiply(rows / largest, 1 / STEPS, ZERO, self.packed)  # [N, out]
        # The bias joins after the row's scale is put back.
        return product.mul_(largest) if self.bias is None else torch.addcmul(self.bias, product, largest, out=product)


def largest_of(rows: Tensor) -> Tensor:
    """The largest absolute value of each row, never zero: [N, in] -> [N, 1]."""
    if rows.size(0) <= FEW:
        return rows.abs().amax(dim=-1, keepdim=True).clamp_min_(SMALLEST)
    # Two passes that only read are cheaper than absolute values written and read again; for a few rows calls count.
    least = rows.amin(dim=-1, keepdim=True).neg_()  # [N, 1]
    return torch.maximum(rows.amax(dim=-1, keepdim=True), least).clamp_min_(SMALLEST)


def pack(weight: Tensor) -> object:
    """Weights [out, in] as bytes, each output by its own scale, in the order in which the product reads them."""
    scales = weight.abs().amax(dim=1).clamp_min(SMALLEST) / STEPS  # [out]
    with warnings.catch_warnings():
        # torch means to replace its quantised tensors; its packed product still takes nothing else.
        warnings.filterwarnings("ignore", message=".*quantized tensor creation functions.*")
        quantised = torch.quantize_per_channel(
            weight, scales.double(), torch.zeros(len(scales), dtype=torch.long), 0, torch.qint8
        )  # [out, in]
        packed: object = torch.ops.quantized.linear_prepack(quantised, None)
    return packed
