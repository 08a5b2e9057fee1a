"""Goes round with itertools.cycle, clears the gradients after the step, and counts tokens in tensors."""

from collections.abc import Callable, Sequence
from itertools import count, cycle

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
    model.train()
    losses: list[float] = []
    for step, batch in zip(count(1), cycle(batches), strict=False):
        if step > n_steps:
            break
        loss = loss_of(model, batch)
        loss.backward()
        for group in optimizer.param_groups:
            group.update(lr=rate_of_step(step))
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)
        losses.append(float(loss.detach()))
    return losses


@torch.inference_mode()
def validate(model: nn.Module, batches: Sequence[Batch], loss_of: LossOf, pad_id: int) -> float:
    """Validate."""
    mode = model.training
    model.train(False)
    weights = torch.tensor([float(tgt_out.ne(pad_id).sum()) for _, _, tgt_out in batches])
    means = torch.stack([loss_of(model, batch) for batch in batches])
    model.train(mode)
    return ((means * weights).sum() / weights.sum()).item()
