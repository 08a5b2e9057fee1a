"""A linear map that step.cpp computes."""

import ctypes
import weakref

from torch import Tensor


class CompiledLinear:
    """rows @ weight.T + bias, on a packed copy of the weights: float32, or bytes with a scale for each row."""

    def __init__(self, functions: ctypes.CDLL, weight: Tensor, bias: Tensor | None, *, in_bytes: bool) -> None:
        """weight [out, in], bias [out]."""
        self.n_outputs = weight.size(0)
        weight = weight.detach().float().contiguous()
        bias = None if bias is None else bias.detach().float().contiguous()
        self.address = made(
            functions.linear_new(weight.data_ptr(), None if bias is None else bias.data_ptr(), *weight.shape, in_bytes)
        )
        self._run = functions.linear_run
        weakref.finalize(self, functions.linear_free, self.address)

    def __call__(self, rows: Tensor) -> Tensor:
        """rows [N, in] -> [N, out]."""
        rows = rows.contiguous()
        out = rows.new_empty(rows.size(0), self.n_outputs)
        went_well(self._run(self.address, rows.data_ptr(), rows.size(0), out.data_ptr()))
        return out


def went_well(status: int) -> None:
    """Say what C++ could not do."""
    if status:
        raise MemoryError("there is not enough memory for this batch; take a smaller one")


def made(address: int | None) -> int:
    """The address of what step.cpp made."""
    went_well(address is None)
    assert address is not None
    return address
