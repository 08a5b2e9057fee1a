"""Which attention kernel is faster at which length: behind `fused_kernel_pays` in nn/ and `LONGEST` in fast/compiled/.

    python benchmarks/attention_kernels.py [--rounds 15] [--threads N]

Plain (matmul, mask, softmax, matmul) against torch's fused kernel and against the compiled one, taking turns in one
process, heads split and merged as in a layer; a ratio above 1 means that the plain one is slower. All are checked to
agree before they are timed.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from glassformer.fast.compiled.attention import CompiledAttention
from glassformer.fast.compiled.library import library
from glassformer.machine.precision import measure_bf16
from glassformer.nn import attention, merge_heads, no_future, split_heads

# Heads and width of one head, as in the benchmarks' tiny and base models; tokens in a batch.
MODELS = {"tiny": (4, 32, 1500), "base": (8, 64, 2000)}
LENGTHS = (8, 15, 24, 32, 40, 48, 64, 96, 128, 256)
Kernel = Callable[[Tensor, Tensor, Tensor, int, Tensor], Tensor]  # [B, L, H * E] three times, heads, visible


def plain(query: Tensor, key: Tensor, value: Tensor, n_heads: int, visible: Tensor) -> Tensor:
    """Equation 1 as nn/dot_product.py has it."""
    return merge_heads(attention(*(split_heads(x, n_heads) for x in (query, key, value)), visible)[0])


def fused(query: Tensor, key: Tensor, value: Tensor, n_heads: int, visible: Tensor) -> Tensor:
    """torch's own."""
    heads = [split_heads(x, n_heads) for x in (query, key, value)]
    return merge_heads(F.scaled_dot_product_attention(*heads, attn_mask=visible))


def others() -> dict[str, Kernel]:
    """The kernels that are held against the plain one."""
    if library() is None:
        return {"fused": fused}
    compiled = CompiledAttention()
    return {"fused": fused, "compiled": lambda *inputs: compiled(*inputs, None, 0.0)}


def seconds(run: Callable[[], object]) -> float:
    """How long one run takes."""
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def ratio(
    other: Kernel, inputs: Sequence[Tensor], n_heads: int, visible: Tensor, rounds: int, *, backward: bool
) -> float:
    """Median of plain time / the other's time over interleaved rounds."""

    def run(kernel: Kernel) -> object:
        if not backward:
            with torch.no_grad():
                return kernel(*inputs, n_heads, visible)
        return torch.autograd.grad(kernel(*inputs, n_heads, visible).sum(), list(inputs))

    run(plain)
    run(other)
    return statistics.median(seconds(lambda: run(plain)) / seconds(lambda: run(other)) for _ in range(rounds))


def main() -> None:
    """Print one table a model and number format."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    dtypes = [torch.float32]
    if measure_bf16(seconds=0.2) is None:
        print("bf16 kills the process on this machine (see `glassformer doctor`): measuring fp32 only")
    else:
        dtypes.append(torch.bfloat16)
    kernels = others()
    print(f"plain time / the other's, median of {given.rounds} rounds; above 1 the plain kernel is slower")
    for name, (n_heads, width, tokens) in MODELS.items():
        for dtype in dtypes:
            print(f"\n{name} (H {n_heads}, E {width}), {str(dtype).removeprefix('torch.')}, threads: {given.threads}")
            print("  places   batch" + "".join(f"   {other} forward   and backward" for other in kernels))
            for length in LENGTHS:
                batch = max(1, tokens // length)
                shape, visible = (batch, length, n_heads * width), no_future(length, length)
                inputs = [torch.randn(shape).to(dtype).requires_grad_() for _ in range(3)]
                row = f"  {length:6}  {batch:6}"
                for title, other in kernels.items():
                    agreed = plain(*inputs, n_heads, visible)
                    torch.testing.assert_close(agreed, other(*inputs, n_heads, visible), atol=0.05, rtol=0.05)
                    for backward, place in ((False, len(title) + 11), (True, 15)):
                        found = ratio(other, inputs, n_heads, visible, given.rounds, backward=backward)
                        row += f"{found:{place}.2f}"
                print(row)


if __name__ == "__main__":
    main()
