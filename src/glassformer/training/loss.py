"""Label-smoothed cross entropy over real tokens, and R-Drop. Paper: section 5.4.

Sums and never divides: the trainer divides once, by all real tokens of a step. A mean of batch means would let the
tokens of a short batch weigh more. Nor holds the logits of a whole batch: with 16,000 tokens to choose from they would
be larger than all else in a step. (R-Drop does hold them: it compares two runs.)
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from glassformer.data.batch import Batch
from glassformer.nn import Transformer
from glassformer.training.config import TrainingConfig
from glassformer.training.precision import autocast

LOGITS_AT_ONCE = 2**23  # 32 MB: fewer, and the matrix's gradient is added up too often; more gains nothing


class Loss(NamedTuple):
    """What training makes small, and what it is after: both summed over real tokens, both scalars."""

    objective: Tensor  # with smoothing and, where asked for, R-Drop
    nll: Tensor  # minus log p of the right token, without a gradient: comparable whatever the smoothing


def loss_of(model: Transformer, batch: Batch, config: TrainingConfig) -> Loss:
    """Run the model on a batch and compare: what training asks for, once a batch."""
    if config.rdrop:
        return rdrop_of(model, batch, config)
    src, tgt_in, tgt_out = batch  # [B, S], [B, T], [B, T]
    with autocast(src.device, config.precision):
        hidden = model.decode(tgt_in, model.encode(src), src)  # [B, T, D]
    return vocabulary_loss(model, hidden, tgt_out, smoothing=config.label_smoothing, precision=config.precision)


def vocabulary_loss(model: Transformer, hidden: Tensor, tgt_out: Tensor, *, smoothing: float, precision: str) -> Loss:
    """`smoothed_loss` of `model.project(hidden)`, with few logits in memory at a time.

    hidden [B, T, D]; tgt_out [B, T].
    """
    if type(model).project is not Transformer.project:  # a learner's own: what it multiplies by is not ours to know
        return smoothed_loss(model.project(hidden), tgt_out, pad_id=model.config.pad_id, smoothing=smoothing)
    real = tgt_out != model.config.pad_id  # [B, T]
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    objective, nll = VocabularyLoss.apply(  # type: ignore[no-untyped-call]
        hidden[real], model.output_matrix, model.logits_bias, tgt_out[real], smoothing, dtype, torch.is_grad_enabled()
    )
    return Loss(objective=objective, nll=nll)


def rdrop_of(model: Transformer, batch: Batch, config: TrainingConfig) -> Loss:
    """`rdrop_loss` of a batch that is run twice."""
    src, tgt_in = torch.cat((batch.src, batch.src)), torch.cat((batch.tgt_in, batch.tgt_in))  # [2 * B, S], [2 * B, T]
    with autocast(src.device, config.precision):
        logits = model(src, tgt_in)  # [2 * B, T, V]
    pad_id, smoothing = model.config.pad_id, config.label_smoothing
    return rdrop_loss(logits, batch.tgt_out, pad_id=pad_id, smoothing=smoothing, weight=config.rdrop)


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


class Compared(NamedTuple):
    """What `compare` finds, for each place."""

    objective: Tensor  # [...]
    nll: Tensor  # [...]
    gradient: Tensor  # [..., V], of the objective by the logits


def compare(logits: Tensor, tgt_out: Tensor, smoothing: float) -> Compared:
    """The terms of `smoothed_sums` and their gradient, written down: softmax minus the smoothed target.

    logits [..., V], tgt_out [...]. Left to autograd, the backward makes four tensors of the size of the logits on its
    way, and takes the exponential of all of them a second time. With a small model that is a seventh of the whole step.
    """
    gradient = logits.softmax(dim=-1)  # [..., V]
    # The largest probability is exp(largest logit - log_sum): the logarithm of the sum without a second exp.
    log_sum = logits.amax(dim=-1) - gradient.amax(dim=-1).log()  # [...]
    places = tgt_out.unsqueeze(-1)  # [..., 1]
    nll = log_sum - logits.gather(-1, places).squeeze(-1)  # [...]
    objective = nll
    if smoothing > 0:
        spread = log_sum - logits.mean(dim=-1)  # [...]
        objective = (1 - smoothing) * nll + smoothing * spread
    # The target gives every token its share of the smoothing, and the rest to the right one.
    gradient -= smoothing / logits.size(-1)
    gradient.scatter_add_(-1, places, gradient.new_full((), smoothing - 1).expand(places.shape))
    return Compared(objective, nll, gradient)


class SmoothedCrossEntropy(torch.autograd.Function):
    """`smoothed_sums` of the logits' log-softmax, by `compare`."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, tgt_out: Tensor, pad_id: int, smoothing: float) -> tuple[Tensor, Tensor]:
        """logits [..., V], tgt_out [...] -> the objective and the nll, scalars."""
        found = compare(logits, tgt_out, smoothing)
        real = tgt_out != pad_id  # [...]
        ctx.save_for_backward(found.gradient, real)
        nll_sum = found.nll.masked_fill(~real, 0.0).sum()
        ctx.mark_non_differentiable(nll_sum)
        return found.objective.masked_fill(~real, 0.0).sum(), nll_sum

    @staticmethod
    def backward(ctx: Any, *passed_back: Tensor) -> tuple[Tensor, None, None, None]:
        """The gradient of the objective by the logits, [..., V]."""
        gradient, real = ctx.saved_tensors
        return gradient * (passed_back[0] * real.unsqueeze(-1)), None, None, None


class VocabularyLoss(torch.autograd.Function):
    """Projection and comparison, some places at a time; gradients are made at once, while the logits are there."""

    @staticmethod
    def forward(
        ctx: Any,
        hidden: Tensor,
        matrix: Tensor,
        bias: Tensor | None,
        tgt_out: Tensor,
        smoothing: float,
        dtype: torch.dtype,
        with_gradient: bool,
    ) -> tuple[Tensor, Tensor]:
        """hidden [N, D], matrix [V, D], bias [V], tgt_out [N] -> the objective and the nll, scalars."""
        n_rows = max(1, LOGITS_AT_ONCE // matrix.size(0))
        weight, offset = matrix.to(dtype), None if bias is None else bias.to(dtype)  # [V, D], [V]
        objective, nll = hidden.new_zeros((), dtype=torch.float32), hidden.new_zeros((), dtype=torch.float32)
        by_hidden: list[Tensor] = []
        by_matrix, by_bias = torch.zeros_like(matrix), None if bias is None else torch.zeros_like(bias)
        for rows, right in zip(hidden.to(dtype).split(n_rows), tgt_out.split(n_rows), strict=True):
            found = compare(F.linear(rows, weight, offset).float(), right, smoothing)
            objective += found.objective.sum()
            nll += found.nll.sum()
            if with_gradient:
                gradient = found.gradient.to(dtype)  # [n, V]
                by_hidden.append(gradient @ weight)  # [n, D]
                add_product(by_matrix, gradient.T, rows)
                if by_bias is not None:
                    by_bias += found.gradient.sum(dim=0)
        if with_gradient:
            ctx.save_for_backward(torch.cat(by_hidden).to(hidden.dtype), by_matrix, by_bias)
        ctx.mark_non_differentiable(nll)
        return objective, nll

    @staticmethod
    def backward(ctx: Any, *passed_back: Tensor) -> tuple[Tensor | None, ...]:
        """The gradients of the objective by hidden [N, D], matrix [V, D] and bias [V]."""
        gradients = [None if gradient is None else gradient * passed_back[0] for gradient in ctx.saved_tensors]
        return *gradients, None, None, None, None


def add_product(total: Tensor, left: Tensor, right: Tensor) -> None:
    """total += left @ right; the sum stays in total's own precision."""
    if total.dtype == left.dtype:
        total.addmm_(left, right)  # without a product to be written and read again
    else:
        total += left @ right
