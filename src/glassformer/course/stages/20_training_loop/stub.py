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
    """Take n_steps steps, going round the batches, and return the loss of each step.

    loss_of(model, batch) is the mean loss over the batch's real tokens, a scalar tensor. rate_of_step(step) is the
    learning rate of a step; steps count from 1. Step 1 takes batches[0], step 2 batches[1], and after the last one it
    begins again. The model trains in training mode, whatever mode it came in. Losses are plain floats.

    In a step: set the rate in every group of the optimizer; clear the gradients; compute the loss; go backward; step.

    https://docs.pytorch.org/docs/stable/optim.html
    https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html
    https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html
    """
    # Your code here
    raise NotImplementedError


def validate(
    model: nn.Module, batches: Sequence[Batch], loss_of: Callable[[nn.Module, Batch], Tensor], pad_id: int
) -> float:
    """Return the mean loss of all real tokens of these batches, dropout off; leave the model as it was.

    Every real token counts alike, whichever batch it is in: weigh each batch's mean by its number of tokens in tgt_out
    that are not pad_id. No gradient is needed. Afterwards the model is in the mode (train or eval) it came in.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.eval
    https://docs.pytorch.org/docs/stable/generated/torch.no_grad.html
    """
    # Your code here
    raise NotImplementedError
