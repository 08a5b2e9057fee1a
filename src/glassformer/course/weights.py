"""Setting and reading the weights of a learner's module, whatever it keeps them in.

A linear map may be an `nn.Linear` (which keeps its matrix as [out, in]) or a `Parameter` used as x @ W ([in, out]).
Here a matrix is always [in, out]: what x is multiplied by.
"""

import torch
from torch import Tensor, nn


def set_linear(holder: nn.Linear | nn.Parameter | Tensor, matrix: Tensor, bias: Tensor | None = None) -> None:
    """Make the map x -> x @ matrix + bias; without a bias, one that the map has becomes zero."""
    with torch.no_grad():
        if isinstance(holder, nn.Linear):
            holder.weight.copy_(matrix.T)
            if holder.bias is not None:
                holder.bias.copy_(torch.zeros_like(holder.bias) if bias is None else bias)
        else:
            holder.copy_(matrix)


def read_linear(holder: nn.Linear | nn.Parameter | Tensor) -> Tensor:
    """The matrix [in, out] of a map."""
    return holder.weight.detach().T.clone() if isinstance(holder, nn.Linear) else holder.detach().clone()


def set_table(holder: nn.Embedding | nn.Parameter | Tensor, table: Tensor) -> None:
    """Fill a table of vectors, [rows, width]."""
    with torch.no_grad():
        (holder.weight if isinstance(holder, nn.Embedding) else holder).copy_(table)
