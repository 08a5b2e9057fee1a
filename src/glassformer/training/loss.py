"""Label-smoothed cross entropy over real tokens, and R-Drop. Paper: section 5.4.

Sums and never divides: the trainer divides once, by all real tokens of a step. A mean of batch means would let the
tokens of a short batch weigh more.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor

from glassformer.data.batch import Batch
from glassformer.nn import Transformer
from glassformer.training.config import TrainingConfig
from glassformer.training.precision import autocast


class Loss(NamedTuple):
    """What training makes small, and what it is after: both summed over real tokens, both scalars."""

    objective: Tensor  # with smoothing and, where asked for, R-Drop
    nll: Tensor  # minus log p of the right token, without a gradient: comparable whatever the smoothing


def loss_of(model: Transformer, batch: Batch, config: TrainingConfig) -> Loss:
    """Run the model on a batch and compare: what training asks for, once a batch."""
    src, tgt_in = batch.src, batch.tgt_in  # [B, S], [B, T]
    if config.rdrop:
        src, tgt_in = torch.cat((src, src)), torch.cat((tgt_in, tgt_in))  # [2 * B, S], [2 * B, T]
    with autocast(src.device, config.precision):
        logits = model(src, tgt_in)  # [B, T, V], or twice as many rows
    pad_id, smoothing = model.config.pad_id, config.label_smoothing
    if config.rdrop:
        return rdrop_loss(logits, batch.tgt_out, pad_id=pad_id, smoothing=smoothing, weight=config.rdrop)
    return smoothed_loss(logits, batch.tgt_out, pad_id=pad_id, smoothing=smoothing)


def smoothed_loss(logits: Tensor, tgt_out: Tensor, *, pad_id: int, smoothing: float) -> Loss:
    """Cross entropy against a target that gives `smoothing` of its weight to the whole vocabulary evenly.

    logits [..., V]; tgt_out [...]. Places where tgt_out is `pad_id` count for nothing.
    """
    objective, nll = SmoothedCrossEntropy.apply(  # type: ignore[no-untyped-call]
        logits.float(), tgt_out, pad_id, smoothing
    )
    return Loss(objective=objective, nll=nll)


def rdrop_loss(logits: Tensor, tgt_out: Tensor, *, pad_id: int, smoothing: float, weight: float) -> Loss:
    """R-Drop (Liang et al., 2021): two runs with different dropout should agree.

    logits [2 * B, T, V], the second half a second run of the same sentences; tgt_out [B, T]. Half of the paper's sum,
    so that the loss compares with the plain one: half of both cross entropies and weight / 4 of both divergences.
    """
    log_probs = logits.float().log_softmax(dim=-1)  # [2 * B, T, V]
    both = smoothed_sums(log_probs, torch.cat((tgt_out, tgt_out)), pad_id=pad_id, smoothing=smoothing)
    first, second = log_probs.chunk(2)  # [B, T, V] each
    # KL(p, q) + KL(q, p) in one sum.
    divergence = ((first.exp() - second.exp()) * (first - second)).sum(dim=-1)  # [B, T]
    disagreement = divergence.masked_fill(tgt_out == pad_id, 0.0).sum()
    return Loss(objective=both.objective / 2 + weight / 4 * disagreement, nll=both.nll / 2)


def smoothed_sums(log_probs: Tensor, tgt_out: Tensor, *, pad_id: int, smoothing: float) -> Loss:
    """The two sums, from log-probabilities [..., V]."""
    pads = tgt_out == pad_id  # [...]
    nll = -log_probs.gather(-1, tgt_out.unsqueeze(-1)).squeeze(-1).masked_fill(pads, 0.0)  # [...]
    objective = nll
    # Not `0 * spread`: a token that cannot come (log p = -inf) would turn that into NaN.
    if smoothing > 0:
        spread = -log_probs.mean(dim=-1).masked_fill(pads, 0.0)  # [...]
        objective = (1 - smoothing) * nll + smoothing * spread
    return Loss(objective=objective.sum(), nll=nll.detach().sum())


class SmoothedCrossEntropy(torch.autograd.Function):
    """`smoothed_sums` of the logits' log-softmax, with its gradient written down: softmax minus the smoothed target.

    Left to autograd, the backward makes four tensors of the size of the logits on its way, and takes the exponential
    of all of them a second time. With a small model that is a seventh of the whole step.
    """

    @staticmethod
    def forward(ctx: Any, logits: Tensor, tgt_out: Tensor, pad_id: int, smoothing: float) -> tuple[Tensor, Tensor]:
        """logits [..., V], tgt_out [...] -> the objective and the nll, scalars."""
        gradient = logits.softmax(dim=-1)  # [..., V]
        # The largest probability is exp(largest logit - log_sum): the logarithm of the sum without a second exp.
        log_sum = logits.amax(dim=-1) - gradient.amax(dim=-1).log()  # [...]
        places = tgt_out.unsqueeze(-1)  # [..., 1]
        real = tgt_out != pad_id  # [...]
        nll = (log_sum - logits.gather(-1, places).squeeze(-1)).masked_fill(~real, 0.0)  # [...]
        objective = nll
        if smoothing > 0:
            spread = (log_sum - logits.mean(dim=-1)).masked_fill(~real, 0.0)  # [...]
            objective = (1 - smoothing) * nll + smoothing * spread
        # The target gives every token its share of the smoothing, and the rest to the right one.
        gradient -= smoothing / logits.size(-1)
        gradient.scatter_add_(-1, places, gradient.new_full((), smoothing - 1).expand(places.shape))
        ctx.save_for_backward(gradient, real)
        nll_sum = nll.sum()
        ctx.mark_non_differentiable(nll_sum)
        return objective.sum(), nll_sum

    @staticmethod
    def backward(ctx: Any, *passed_back: Tensor) -> tuple[Tensor, None, None, None]:
        """The gradient of the objective by the logits, [..., V]."""
        gradient, real = ctx.saved_tensors
        return gradient * (passed_back[0] * real.unsqueeze(-1)), None, None, None
