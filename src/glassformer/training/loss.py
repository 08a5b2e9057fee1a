"""Label-smoothed cross entropy over real tokens, and R-Drop. Paper: section 5.4.

Sums and never divides: the trainer divides once, by all real tokens of a step. A mean of batch means would let the
tokens of a short batch weigh more. Nor holds the logits of a whole batch: with 16,000 tokens to choose from they would
be larger than all else in a step.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from glassformer.data.batch import Batch
from glassformer.errors import GlassformerError
from glassformer.fast.compiled.loss import compare_in_place
from glassformer.nn import Transformer
from glassformer.training.config import TrainingConfig
from glassformer.training.precision import autocast

LOGITS_AT_ONCE = 2**23  # 32 MB: fewer, and the matrix's gradient is added up too often; more gains nothing
REMEDY = "Start a new run with a lower learning rate, longer warmup_steps or a clip_norm"


class TrainingError(GlassformerError):
    """Training cannot go on: a loss or a gradient is no longer a number."""


class Loss(NamedTuple):
    """What training makes small, and what it is after: both summed over real tokens, both scalars."""

    objective: Tensor  # with smoothing and, where asked for, R-Drop
    nll: Tensor  # minus log p of the right token, without a gradient: comparable whatever the smoothing


def loss_of(model: Transformer, batch: Batch, config: TrainingConfig) -> Loss:
    """Run the model on a batch, twice for R-Drop, and compare: what training asks for, once a batch."""
    n_runs = 2 if config.rdrop else 1
    src, tgt_in = batch.src.repeat(n_runs, 1), batch.tgt_in.repeat(n_runs, 1)  # [R * B, S], [R * B, T]
    with autocast(src.device, config.precision):
        hidden = model.decode(tgt_in, model.encode(src), src)  # [R * B, T, D]
    runs = hidden.unflatten(0, (n_runs, -1))  # [R, B, T, D]
    return vocabulary_loss(
        model, runs, batch.tgt_out, smoothing=config.label_smoothing, rdrop=config.rdrop, precision=config.precision
    )


def vocabulary_loss(
    model: Transformer, runs: Tensor, tgt_out: Tensor, *, smoothing: float, precision: str, rdrop: float = 0.0
) -> Loss:
    """`loss_of_logits` of `model.project(runs)`, with few logits in memory at a time.

    runs [R, B, T, D]; tgt_out [B, T].
    """
    pad_id = model.config.pad_id
    if type(model).project is not Transformer.project:  # a learner's own: what it multiplies by is not ours to know
        logits = model.project(runs.flatten(0, 1))  # [R * B, T, V]: it may count on three axes
        logits = logits.unflatten(0, runs.shape[:2])  # [R, B, T, V]
        return loss_of_logits(logits, tgt_out, pad_id=pad_id, smoothing=smoothing, rdrop=rdrop)
    real = tgt_out != pad_id  # [B, T]
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    matrix, bias, with_gradient = model.output_matrix, model.logits_bias, torch.is_grad_enabled()
    objective, nll = VocabularyLoss.apply(  # type: ignore[no-untyped-call]
        runs[:, real], matrix, bias, tgt_out[real], smoothing, rdrop, dtype, with_gradient
    )
    return Loss(objective=objective, nll=nll)


def smoothed_loss(logits: Tensor, tgt_out: Tensor, *, pad_id: int, smoothing: float) -> Loss:
    """Cross entropy against a target that gives `smoothing` of its weight to the whole vocabulary evenly.

    logits [..., V]; tgt_out [...]. Places where tgt_out is `pad_id` count for nothing.
    """
    return loss_of_logits(logits.unsqueeze(0), tgt_out, pad_id=pad_id, smoothing=smoothing, rdrop=0.0)


def loss_of_logits(logits: Tensor, tgt_out: Tensor, *, pad_id: int, smoothing: float, rdrop: float) -> Loss:
    """`compare_runs`, summed over real places. logits [R, ..., V]; tgt_out [...]."""
    objective, nll = LogitsLoss.apply(  # type: ignore[no-untyped-call]
        logits.float(), tgt_out, pad_id, smoothing, rdrop
    )
    return Loss(objective=objective, nll=nll)


class Compared(NamedTuple):
    """What a comparison finds, for each place."""

    objective: Tensor  # [...]
    nll: Tensor  # [...]
    gradient: Tensor  # [..., V], of the objective by the logits


def compare_and_overwrite(logits: Tensor, tgt_out: Tensor, smoothing: float, rdrop: float) -> Compared:
    """`compare_runs` of logits that nobody needs afterwards: of one run in one pass, where fast/ can do that.

    logits [R, N, V], tgt_out [N]; the gradient may come in the logits' place and type.
    """
    found = compare_in_place(logits[0], tgt_out, smoothing) if logits.size(0) == 1 else None
    if found is None:
        return compare_runs(logits.float(), tgt_out, smoothing, rdrop)
    return Compared(found.objective, found.nll, logits)


def compare_runs(logits: Tensor, tgt_out: Tensor, smoothing: float, rdrop: float) -> Compared:
    """The loss of one run, or R-Drop (Liang et al., 2021) of two: with different dropout they should agree.

    logits [R, ..., V], tgt_out [...]; objective and nll come back as [...], the gradient as [R, ..., V]. Half of that
    paper's sum, so that the loss compares with the plain one: half of both cross entropies and rdrop / 4 of both
    divergences.
    """
    n_runs = logits.size(0)
    each = compare(logits, tgt_out.expand(n_runs, *tgt_out.shape), smoothing)
    if n_runs == 1:
        return Compared(each.objective[0], each.nll[0], each.gradient)
    # log p - log q but for one number a place, which cancels wherever shares that sum to 1 are weighed by it.
    apart = logits[0] - logits[1]  # [..., V]
    shares = logits.softmax(dim=-1)  # [2, ..., V]
    means = (shares * apart).sum(dim=-1, keepdim=True)  # [2, ..., 1]
    divergence = (means[0] - means[1]).squeeze(-1)  # [...], KL(p, q) + KL(q, p)
    pull = (apart - means).mul_(shares).add_(shares[0] - shares[1])  # [2, ..., V]: its gradient by the first run's
    pull[1].neg_()  # and now by the second's
    gradient = each.gradient.div_(2).add_(pull, alpha=rdrop / 4)  # [2, ..., V]
    return Compared(each.objective.mean(dim=0) + rdrop / 4 * divergence, each.nll.mean(dim=0), gradient)


def compare(logits: Tensor, tgt_out: Tensor, smoothing: float) -> Compared:
    """Smoothed cross entropy and its gradient, written down: softmax minus the smoothed target.

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


class LogitsLoss(torch.autograd.Function):
    """`compare_runs`, summed over the places that are real."""

    @staticmethod
    def forward(
        ctx: Any, logits: Tensor, tgt_out: Tensor, pad_id: int, smoothing: float, rdrop: float
    ) -> tuple[Tensor, Tensor]:
        """logits [R, ..., V], tgt_out [...] -> the objective and the nll, scalars."""
        found = compare_runs(logits, tgt_out, smoothing, rdrop)
        real = tgt_out != pad_id  # [...]
        ctx.save_for_backward(found.gradient, real)
        nll_sum = found.nll.masked_fill(~real, 0.0).sum()
        ctx.mark_non_differentiable(nll_sum)
        return found.objective.masked_fill(~real, 0.0).sum(), nll_sum

    @staticmethod
    def backward(ctx: Any, *passed_back: Tensor) -> tuple[Tensor, None, None, None, None]:
        """The gradient of the objective by the logits, [R, ..., V]."""
        gradient, real = ctx.saved_tensors
        return gradient * (passed_back[0] * real.unsqueeze(-1)), None, None, None, None


class VocabularyLoss(torch.autograd.Function):
    """Projection and comparison, some places at a time; gradients are made at once, while the logits are there."""

    @staticmethod
    def forward(
        ctx: Any,
        runs: Tensor,
        matrix: Tensor,
        bias: Tensor | None,
        tgt_out: Tensor,
        smoothing: float,
        rdrop: float,
        dtype: torch.dtype,
        with_gradient: bool,
    ) -> tuple[Tensor, Tensor]:
        """runs [R, N, D], matrix [V, D], bias [V], tgt_out [N] -> the objective and the nll, scalars."""
        n_places = max(1, LOGITS_AT_ONCE // (runs.size(0) * matrix.size(0)))
        weight, offset = matrix.to(dtype), None if bias is None else bias.to(dtype)  # [V, D], [V]
        objective, nll = runs.new_zeros((), dtype=torch.float32), runs.new_zeros((), dtype=torch.float32)
        by_runs: list[Tensor] = []
        by_matrix, by_bias = torch.zeros_like(matrix), None if bias is None else torch.zeros_like(bias)
        for hidden, right in zip(runs.to(dtype).split(n_places, dim=1), tgt_out.split(n_places), strict=True):
            found = compare_and_overwrite(F.linear(hidden, weight, offset), right, smoothing, rdrop)
            objective += found.objective.sum()
            nll += found.nll.sum()
            if with_gradient:
                gradient = found.gradient.to(dtype)  # [R, n, V]
                by_runs.append(gradient @ weight)  # [R, n, D]
                add_product(by_matrix, gradient.flatten(0, 1).T, hidden.flatten(0, 1))
                if by_bias is not None:
                    by_bias += found.gradient.sum(dim=(0, 1), dtype=by_bias.dtype)
        if with_gradient:
            ctx.save_for_backward(torch.cat(by_runs, dim=1).to(runs.dtype), by_matrix, by_bias)
        ctx.mark_non_differentiable(nll)
        return objective, nll

    @staticmethod
    def backward(ctx: Any, *passed_back: Tensor) -> tuple[Tensor | None, ...]:
        """The gradients of the objective by runs [R, N, D], matrix [V, D] and bias [V]."""
        gradients = [None if gradient is None else gradient * passed_back[0] for gradient in ctx.saved_tensors]
        return *gradients, None, None, None, None, None


def add_product(total: Tensor, left: Tensor, right: Tensor) -> None:
    """total += left @ right; the sum stays in total's own precision."""
    if total.dtype == left.dtype:
        total.addmm_(left, right)  # without a product to be written and read again
    else:
        total += left @ right
