"""What each place thinks over alone, between two looks around. Paper: section 3.3.

No place sees another here: all mixing of places is attention's.
"""

from collections.abc import Callable

from torch import Tensor, nn
from torch.nn import functional as F

from .config import Activation
from .dropout import Dropout

ACTIVATIONS: dict[Activation, Callable[[Tensor], Tensor]] = {"relu": F.relu, "gelu": F.gelu, "silu": F.silu}


class FeedForward(nn.Module):
    """Two linear maps with an activation between (equation 2).

    Gated, a third map is activated instead, and opens or closes the first column by column (Shazeer, 2020).
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        activation: Activation = "relu",
        gated: bool = False,
        dropout: float = 0.0,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if activation not in ACTIVATIONS:
            raise ValueError(f"activation is {activation!r}; it must be one of {', '.join(ACTIVATIONS)}")
        self.activate = ACTIVATIONS[activation]
        self.widen = nn.Linear(d_model, d_ff, bias=bias)
        self.gate = nn.Linear(d_model, d_ff, bias=bias) if gated else None
        self.narrow = nn.Linear(d_ff, d_model, bias=bias)
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """x [B, S, D] -> [B, S, D]."""
        if self.gate is None:
            hidden = self.activate(self.widen(x))  # [B, S, F]
        else:
            hidden = self.activate(self.gate(x)) * self.widen(x)  # [B, S, F]
        return self.narrow(self.dropout(hidden))  # [B, S, D]
