"""Looks at the loss of one token, of a padded batch, of impossible tokens, and at its gradient. Oracle: torch's own."""

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from glassformer.course.observation import Observation
from glassformer.course.universe import Subject

PAD, EPSILON = 4, 0.2


def wanted(logits: Tensor, tgt_out: Tensor, smoothing: float, pad_id: int = PAD) -> Tensor:
    """The same by torch."""
    return cross_entropy(logits.flatten(0, 1), tgt_out.flatten(), ignore_index=pad_id, label_smoothing=smoothing)


def observe(my: Subject) -> Iterator[Observation]:
    """Probabilities chosen by hand first; then a batch whose two rows have 5 and 2 real tokens."""
    smoothed_loss = my.part("smoothed_loss")

    probs = torch.tensor([[[0.2, 0.5, 0.1, 0.1, 0.1]]])
    right = torch.tensor([[1]])
    yield Observation(
        "the loss of one token, no smoothing, p(right) = 0.5", smoothed_loss(probs.log(), right, PAD, 0.0),
        torch.tensor(0.6931), "It is -log 0.5 = 0.6931.",
    )  # fmt: skip
    by_hand = 0.84 * 0.6931 + 0.04 * (1.6094 + 3 * 2.3026)
    yield Observation(
        "the same token with smoothing 0.2", smoothed_loss(probs.log(), right, PAD, EPSILON), torch.tensor(by_hand),
        "Each of the 5 tokens gets 0.04, the right one 0.8 more: 0.84 * 0.6931 + 0.04 * (1.6094 + 3 * 2.3026).",
        tolerance=2e-4,
    )  # fmt: skip

    draw = torch.Generator().manual_seed(18)
    logits = torch.randn(2, 5, 7, generator=draw) * 2
    tgt_out = torch.tensor([[1, 5, 6, 0, 3], [2, 3, PAD, PAD, PAD]])
    yield Observation(
        "a batch without pads", smoothed_loss(logits[:1], tgt_out[:1], PAD, EPSILON), wanted(logits[:1], tgt_out[:1], EPSILON),
        "The mean over 5 tokens.",
    )  # fmt: skip
    yield Observation(
        "a batch with 5 and 2 real tokens", smoothed_loss(logits, tgt_out, PAD, EPSILON), wanted(logits, tgt_out, EPSILON),
        "The sum over the 7 real tokens, divided by 7. Places where tgt_out is pad_id (4) count for nothing.",
    )  # fmt: skip
    other = torch.randn(2, 5, 7, generator=draw)
    changed = torch.where((tgt_out == PAD).unsqueeze(-1), other, logits)
    yield Observation(
        "the same batch, with other logits at the pads", smoothed_loss(changed, tgt_out, PAD, EPSILON),
        wanted(logits, tgt_out, EPSILON), "What the model says at a pad must not matter.",
    )  # fmt: skip
    yield Observation(
        "the batch without smoothing", smoothed_loss(logits, tgt_out, PAD, 0.0), wanted(logits, tgt_out, 0.0)
    )

    sure = torch.tensor([[[0.0, 150.0, -30.0, 10.0, 5.0, 2.0, 1.0]]])
    yield Observation(
        "a model that is very sure, and wrong", smoothed_loss(sure, torch.tensor([[3]]), PAD, EPSILON),
        wanted(sure, torch.tensor([[3]]), EPSILON), "exp(-140) is 0 to a computer, and log 0 is -inf. Use log_softmax.",
    )  # fmt: skip

    impossible = logits.clone()
    impossible[..., PAD] = -torch.inf  # a model that is forbidden to say pad
    yield Observation(
        "a token with probability 0, no smoothing, no pads", smoothed_loss(impossible[:1], tgt_out[:1], PAD, 0.0),
        wanted(impossible[:1], tgt_out[:1], 0.0), "0 times infinity is NaN: do not multiply by 0, leave out.",
    )  # fmt: skip
    yield Observation(
        "the same with pads in the batch", smoothed_loss(impossible, tgt_out, PAD, 0.0), wanted(impossible, tgt_out, 0.0),
        "At a pad the loss is infinite here: leave these places out, do not multiply them by 0.",
    )  # fmt: skip

    mine, theirs = logits.clone().requires_grad_(), logits.clone().requires_grad_()
    loss = smoothed_loss(mine, tgt_out, PAD, EPSILON)
    yield Observation(
        "whether a gradient can flow back", isinstance(loss, Tensor) and loss.requires_grad, True,
        "Return the tensor itself: not .item(), not .detach(), no torch.no_grad().",
    )  # fmt: skip
    (mine_gradient,) = torch.autograd.grad(loss, mine)
    (theirs_gradient,) = torch.autograd.grad(wanted(theirs, tgt_out, EPSILON), theirs)
    yield Observation(
        "the gradient by the logits", mine_gradient, theirs_gradient, "(p - q) / number of real tokens; 0 at pads."
    )
