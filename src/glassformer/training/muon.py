"""Muon (Jordan et al., 2024): steps for the matrices inside the layers in which every direction counts alike.

Not in the paper. The gradient of a matrix is mostly a few strong directions, and in Adam, which weighs each number by
itself, they stay so. Muon takes the momentum's singular values away, and weak directions are learnt as fast as strong
ones: it needs about two thirds of Adam's steps for the same loss (docs/results.md). Embeddings, biases and norms, whose
rows or numbers mean something one by one, go by Adam. Sets no learning rate of its own: see schedule.py.
"""

from collections.abc import Iterable

import torch
from torch import Tensor
from torch.optim.adam import adam

MOMENTUM = 0.95
N_ROUNDS = 5
COEFFICIENTS = (3.4445, -4.7750, 2.0315)  # Jordan's: singular values from 0.01 to 1 end between 0.68 and 1.14
ADAMS_SIZE = 0.2  # the usual mean size of one number in Adam's step: so one learning rate serves both


def orthogonalised(matrices: Tensor) -> Tensor:
    """The matrices [N, rows, columns] with their singular values near 1 and their directions kept."""
    if matrices.shape[-2] > matrices.shape[-1]:
        return orthogonalised(matrices.mT).mT  # the products below are then of the shorter side
    a, b, c = COEFFICIENTS
    x: Tensor = matrices / (torch.linalg.matrix_norm(matrices, keepdim=True) + 1e-7)
    for _ in range(N_ROUNDS):  # x becomes p(x), where p is a polynomial that works on the singular values alone
        square = x @ x.mT
        factor = torch.baddbmm(square, square, square, beta=b, alpha=c)  # b * square + c * square @ square
        x = torch.baddbmm(x, factor, x, beta=a)  # a * x + factor @ x; sum and product in one pass over memory
    return x


class Muon(torch.optim.Optimizer):
    """Muon for `matrices`, Adam for `others`; weight decay, apart from the gradient as in AdamW, on what has rows."""

    def __init__(
        self,
        matrices: Iterable[Tensor],
        others: Iterable[Tensor],
        *,
        betas: tuple[float, float],
        eps: float,
        weight_decay: float,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        """`dtype`: what directions are calculated in. bf16 will do for them; momentum and weights stay as they are."""
        self.betas, self.eps, self.dtype = betas, eps, dtype
        groups = [{"params": list(matrices), "is_muon": True}, {"params": list(others), "is_muon": False}]
        super().__init__([group for group in groups if group["params"]], {"lr": 0.0, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]  # no loss is calculated again
        """Change every weight that has a gradient."""
        for group in self.param_groups:
            moved = [parameter for parameter in group["params"] if parameter.grad is not None]
            for parameter in moved:
                if parameter.dim() >= 2:
                    parameter.mul_(1 - group["lr"] * group["weight_decay"])
            if not moved:
                continue
            if group["is_muon"]:
                self._step_by_muon(moved, group["lr"])
            else:
                self._step_by_adam(moved, group["lr"])

    def _step_by_muon(self, parameters: list[Tensor], rate: float) -> None:
        alike: dict[torch.Size, list[Tensor]] = {}  # matrices of one shape are turned in one product
        for parameter in parameters:
            alike.setdefault(parameter.shape, []).append(parameter)
        for shape, same in alike.items():
            momenta = torch.stack([self._momentum(parameter) for parameter in same])
            turned = orthogonalised(momenta.to(self.dtype)).to(momenta.dtype)
            for parameter, update in zip(same, turned, strict=True):
                parameter.sub_(update, alpha=rate * ADAMS_SIZE * max(shape) ** 0.5)

    def _momentum(self, parameter: Tensor) -> Tensor:
        """Nesterov's: the gradient, and the past as it will be once the gradient is part of it."""
        assert parameter.grad is not None
        state = self.state[parameter]
        past: Tensor = state.setdefault("momentum", torch.zeros_like(parameter))
        past.mul_(MOMENTUM).add_(parameter.grad)
        return parameter.grad + MOMENTUM * past

    def _step_by_adam(self, parameters: list[Tensor], rate: float) -> None:
        for parameter in parameters:
            state = self.state[parameter]
            state.setdefault("step", torch.zeros(()))
            state.setdefault("exp_avg", torch.zeros_like(parameter))
            state.setdefault("exp_avg_sq", torch.zeros_like(parameter))
        states = [self.state[parameter] for parameter in parameters]
        # One call for all: most of them are as small as a bias, and would wait longer for their turn than they take.
        adam(
            parameters,
            [parameter.grad for parameter in parameters if parameter.grad is not None],
            [state["exp_avg"] for state in states],
            [state["exp_avg_sq"] for state in states],
            [],
            [state["step"] for state in states],
            fused=True if parameters[0].device.type == "cpu" else None,  # a GPU's wants the step counted there
            amsgrad=False,
            beta1=self.betas[0],
            beta2=self.betas[1],
            lr=rate,
            weight_decay=0.0,
            eps=self.eps,
            maximize=False,
        )
