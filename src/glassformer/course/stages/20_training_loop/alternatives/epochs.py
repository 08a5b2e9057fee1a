"""Counts epochs, clears gradients by the model, and puts the mode back in a finally."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

Batch = tuple[Tensor, Tensor, Tensor]
LossOf = Callable[[nn.Module, Batch], Tensor]


def train(
    model: nn.Module,
    batches: Sequence[Batch],
    loss_of: LossOf,
    optimizer: torch.optim.Optimizer,
    rate_of_step: Callable[[int], float],
    n_steps: int,
) -> list[float]:
    """Train."""
    losses: list[float] = []
    while len(losses) < n_steps:
        for batch in batches[: n_steps - len(losses)]:
            losses.append(one_step(model, batch, loss_of, optimizer, rate_of_step(len(losses) + 1)))
    return losses


def one_step(model: nn.Module, batch: Batch, loss_of: LossOf, optimizer: torch.optim.Optimizer, rate: float) -> float:
    """One step."""
    model.train()
    model.zero_grad()
    loss = loss_of(model, batch)
    loss.backward()
    for group in optimizer.param_groups:
        group["lr"] = rate
    optimizer.step()
    return loss.detach().item()


def validate(model: nn.Module, batches: Sequence[Batch], loss_of: LossOf, pad_id: int) -> float:
    """Validate."""
    was_training = model.training
    try:
        model.eval()
        with torch.no_grad():
            found = [(loss_of(model, batch).item(), (batch[2] != pad_id).sum().item()) for batch in batches]
    finally:
        if was_training:
            model.train()
    return sum(loss * n for loss, n in found) / sum(n for _, n in found)
