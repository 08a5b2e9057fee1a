"""Adam, as the paper has it, or Muon over a model's weights; clipping; what a gradient must not be. Paper: section 5.3.

Sets no learning rate of its own: see schedule.py.
"""

from collections.abc import Iterable

import torch
from torch import Tensor, nn

from glassformer.training.config import TrainingConfig
from glassformer.training.muon import Muon


def make_optimizer(model: nn.Module, config: TrainingConfig) -> torch.optim.Optimizer:
    """The config's; weight decay falls on matrices alone, since to shrink a bias or a norm's scale teaches nothing."""
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    betas = (config.beta1, config.beta2)
    if config.optimizer == "muon":
        matrices = _matrices_of_layers(model)
        others = [p for p in parameters if all(p is not matrix for matrix in matrices)]
        dtype = torch.bfloat16 if config.precision == "bf16" else torch.float32
        return Muon(matrices, others, betas=betas, eps=config.eps, weight_decay=config.weight_decay, dtype=dtype)
    groups = [
        {"params": [p for p in parameters if p.dim() >= 2], "weight_decay": config.weight_decay},
        {"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0.0},
    ]
    kind = torch.optim.AdamW if config.optimizer == "adamw" else torch.optim.Adam
    # One pass over the weights instead of one an operation. Saved and loaded again it goes on bit for bit.
    fused = parameters[0].device.type in ("cpu", "cuda")
    return kind(groups, lr=0.0, betas=betas, eps=config.eps, fused=fused)


def _matrices_of_layers(model: nn.Module) -> list[Tensor]:
    """The weights that map vectors to vectors. Not the output's, where each row is a token, as in an embedding."""
    linear = [module for name, module in model.named_modules() if isinstance(module, nn.Linear) and "layers." in name]
    return [module.weight for module in linear if module.weight.requires_grad]


def set_learning_rate(optimizer: torch.optim.Optimizer, rate: float) -> None:
    """Use this rate from the next step on."""
    for group in optimizer.param_groups:
        group["lr"] = rate


def gradient_norm(parameters: Iterable[nn.Parameter]) -> Tensor:
    """The length of the whole gradient, a scalar: not finite as soon as one number in it is not."""
    return torch.nn.utils.get_total_norm([p.grad for p in parameters if p.grad is not None])


def clip_gradient(parameters: Iterable[nn.Parameter], norm: Tensor, clip_norm: float) -> None:
    """Shorten a gradient of this norm to `clip_norm`, if it is longer; 0 means any length will do."""
    if clip_norm > 0:
        torch.nn.utils.clip_grads_with_norm_(list(parameters), clip_norm, norm)
