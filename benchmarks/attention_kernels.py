"""Which attention kernel is faster at which length: the measurement behind `fused_kernel_pays` in nn/multi_head.py.

    python benchmarks/attention_kernels.py [--rounds 15]

Plain (matmul, mask, softmax, matmul) against torch's fused kernel, taking turns in one process; a ratio above 1 means
that the fused one is faster. Every pair is checked to agree before it is timed.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from glassformer.machine.precision import measure_bf16
from glassformer.nn import attention, no_future

# Heads and width of one head, as in the benchmarks' tiny and base models; tokens in a batch.
MODELS = {"tiny": (4, 32, 1500), "base": (8, 64, 2000)}
LENGTHS = (8, 15, 32, 48, 64, 96, 128, 256)


def plain(query: Tensor, key: Tensor, value: Tensor, visible: Tensor) -> Tensor:
    """Equation 1 as nn/dot_product.py has it."""
    return attention(query, key, value, visible)[0]


def fused(query: Tensor, key: Tensor, value: Tensor, visible: Tensor) -> Tensor:
    """torch's own."""
    return F.scaled_dot_product_attention(query, key, value, attn_mask=visible)


def seconds(run: Callable[[], object]) -> float:
    """How long one run takes."""
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def ratio(inputs: Sequence[Tensor], visible: Tensor, rounds: int, *, backward: bool) -> float:
    """Median of plain time / fused time over interleaved rounds."""

    def run(kernel: Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]) -> object:
        if not backward:
            with torch.no_grad():
                return kernel(inputs[0], inputs[1], inputs[2], visible)
        return torch.autograd.grad(kernel(inputs[0], inputs[1], inputs[2], visible).sum(), list(inputs))

    run(plain)
    run(fused)
    return statistics.median(seconds(lambda: run(plain)) / seconds(lambda: run(fused)) for _ in range(rounds))


def main() -> None:
    """Print one table a model and number format."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    dtypes = [torch.float32]
    if measure_bf16(seconds=0.2) is None:
        print("bf16 kills the process on this machine (see `glassformer doctor`): measuring fp32 only")
    else:
        dtypes.append(torch.bfloat16)
    print(f"plain time / fused time, median of {rounds} rounds; above 1 the fused kernel is faster")
    for name, (heads, width, tokens) in MODELS.items():
        for dtype in dtypes:
            print(f"\n{name} (H {heads}, E {width}), {str(dtype).removeprefix('torch.')}")
            print("  places   batch   forward   forward + backward")
            for length in LENGTHS:
                batch = max(1, tokens // length)
                shape = (batch, heads, length, width)
                inputs = [torch.randn(shape).to(dtype).requires_grad_() for _ in range(3)]
                visible = no_future(length, length)
                torch.testing.assert_close(plain(*inputs, visible), fused(*inputs, visible), atol=0.05, rtol=0.05)
                forward = ratio(inputs, visible, rounds, backward=False)
                both = ratio(inputs, visible, rounds, backward=True)
                print(f"  {length:6}  {batch:6}   {forward:7.2f}   {both:18.2f}")


if __name__ == "__main__":
    main()
