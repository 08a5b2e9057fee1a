"""Stage 20: the loop that makes a model learn, and the look that tells whether it does. Paper: section 5."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

Batch = tuple[Tensor, Tensor, Tensor]  # src, tgt_in, tgt_out


def train(
    model: nn.Module,
    batches: Sequence[Batch],
    loss_of: Callable[[nn.Module, Batch], Tensor],
    optimizer: torch.optim.Optimizer,
    rate_of_step: Callable[[int], float],
    n_steps: int,
) -> list[float]:
    """Take n_steps steps, going round the batches, and return the loss of each step."""
    model.train()
    losses: list[float] = []
    for step in range(1, n_steps + 1):
        batch = batches[(step - 1) % len(batches)]
        rate = rate_of_step(step)
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.zero_grad()
        loss = loss_of(model, batch)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def validate(
    model: nn.Module, batches: Sequence[Batch], loss_of: Callable[[nn.Module, Batch], Tensor], pad_id: int
) -> float:
    """Return the mean loss of all real tokens of these batches, dropout off; leave the model as it was."""
    was_training = model.training
    model.eval()
    total, n_tokens = 0.0, 0
    with torch.no_grad():
        for batch in batches:
            n = int((batch[2] != pad_id).sum())
            total += loss_of(model, batch).item() * n
            n_tokens += n
    model.train(was_training)
    return total / n_tokens
