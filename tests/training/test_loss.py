"""The loss, held against torch's own cross entropy and KL divergence."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional as F
from torch.testing import assert_close

from glassformer.nn import ModelConfig, Transformer
from glassformer.training import loss as loss_module
from glassformer.training.loss import Loss, loss_of_logits, smoothed_loss, vocabulary_loss


def torchs_loss(logits: Tensor, tgt_out: Tensor, pad_id: int, smoothing: float) -> Tensor:
    return F.cross_entropy(
        logits.flatten(0, -2), tgt_out.flatten(), label_smoothing=smoothing, reduction="sum", ignore_index=pad_id
    )


def gradient(value: Tensor, logits: Tensor) -> Tensor:
    return torch.autograd.grad(value, logits)[0]


@given(
    seed=st.integers(0, 10**6),
    smoothing=st.sampled_from([0.0, 0.1, 0.7]),
    pad_id=st.integers(0, 6),
    scale=st.sampled_from([1.0, 30.0, 1000.0]),
)
def test_the_loss_and_its_gradient_are_torchs(seed: int, smoothing: float, pad_id: int, scale: float) -> None:
    generator = torch.Generator().manual_seed(seed)
    logits = (torch.randn(3, 5, 7, generator=generator) * scale).requires_grad_()  # [B, T, V]
    tgt_out = torch.randint(7, (3, 5), generator=generator)  # [B, T]
    ours = smoothed_loss(logits, tgt_out, pad_id=pad_id, smoothing=smoothing)
    theirs = torchs_loss(logits, tgt_out, pad_id, smoothing)
    assert_close(ours.objective, theirs)
    assert_close(ours.nll, torchs_loss(logits, tgt_out, pad_id, 0.0))
    assert_close(gradient(ours.objective, logits), gradient(theirs, logits))


def test_a_probability_that_underflows_to_zero_gives_a_large_loss_and_no_infinity() -> None:
    logits = torch.tensor([[1000.0, 0.0, -1000.0]], requires_grad=True)  # [T, V]: p is exactly 1, 0, 0 in float32
    assert logits.softmax(-1).tolist() == [[1.0, 0.0, 0.0]]
    loss = smoothed_loss(logits, torch.tensor([2]), pad_id=1, smoothing=0.1).objective
    assert loss.item() == pytest.approx(0.9 * 2000 + 0.1 * (0 + 1000 + 2000) / 3)
    assert gradient(loss, logits).isfinite().all()


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_a_token_that_cannot_come_is_treated_as_torch_treats_it(smoothing: float) -> None:
    logits = torch.tensor([[0.5, -math.inf, 1.0], [5.0, 1.0, -math.inf]], requires_grad=True)  # [T, V]
    tgt_out = torch.tensor([2, 1])  # [T]
    ours = smoothed_loss(logits, tgt_out, pad_id=0, smoothing=smoothing).objective
    theirs = torchs_loss(logits, tgt_out, 0, smoothing)
    assert ours.item() == pytest.approx(theirs.item())
    assert_close(gradient(ours, logits), gradient(theirs, logits))


def test_pads_add_nothing_to_the_loss_and_get_no_gradient() -> None:
    logits = torch.randn(2, 3, 5, requires_grad=True)  # [B, T, V]
    loss = smoothed_loss(logits, torch.tensor([[4, 2, 0], [0, 0, 0]]), pad_id=0, smoothing=0.1)
    alone = smoothed_loss(logits[:1, :2], torch.tensor([[4, 2]]), pad_id=0, smoothing=0.1)
    assert_close(loss.objective, alone.objective)
    passed_back = gradient(loss.objective, logits)
    assert not passed_back[1].any()
    assert not passed_back[0, 2].any()


def test_logits_in_bf16_are_summed_in_fp32() -> None:
    logits = torch.randn(4, 6, 9).bfloat16()  # [B, T, V]
    loss = smoothed_loss(logits, torch.randint(1, 9, (4, 6)), pad_id=0, smoothing=0.1)
    assert loss.objective.dtype == torch.float32


def both_runs(logits: Tensor, tgt_out: Tensor, weight: float) -> Loss:
    return loss_of_logits(logits.unflatten(0, (2, -1)), tgt_out, pad_id=0, smoothing=0.1, rdrop=weight)


def test_rdrop_is_half_of_the_papers_sum_of_cross_entropies_and_divergences() -> None:
    logits = torch.randn(4, 3, 7, requires_grad=True)  # [2 * B, T, V]
    tgt_out = torch.tensor([[5, 3, 0], [1, 6, 2]])  # [B, T]
    first, second = logits.log_softmax(-1).chunk(2)
    real = (tgt_out != 0).unsqueeze(-1)  # [B, T, 1]
    p_q = F.kl_div(second, first, log_target=True, reduction="none")  # [B, T, V]: KL(first, second)
    q_p = F.kl_div(first, second, log_target=True, reduction="none")
    divergence = ((p_q + q_p) * real).sum() / 2
    crosses = torchs_loss(logits[:2], tgt_out, 0, 0.1) + torchs_loss(logits[2:], tgt_out, 0, 0.1)
    paper = crosses + 5.0 * divergence
    ours = both_runs(logits, tgt_out, 5.0)
    assert_close(ours.objective, paper / 2)
    assert_close(gradient(ours.objective, logits), gradient(paper / 2, logits))


def test_rdrop_of_two_runs_that_agree_is_the_plain_loss() -> None:
    logits, tgt_out = torch.randn(2, 3, 7), torch.tensor([[5, 3, 0], [1, 6, 2]])
    plain = smoothed_loss(logits, tgt_out, pad_id=0, smoothing=0.1)
    twice = both_runs(torch.cat((logits, logits)), tgt_out, 5.0)
    assert_close(twice.objective, plain.objective)
    assert_close(twice.nll, plain.nll)


def small_model(share: str, *, bias: bool) -> Transformer:
    torch.manual_seed(2)
    sizes = {"d_model": 6, "n_heads": 2, "d_ff": 8, "n_encoder_layers": 1, "n_decoder_layers": 1}
    model = Transformer(ModelConfig(vocab_size=11, share_embeddings=share, logits_bias=bias, **sizes))
    if model.logits_bias is not None:
        torch.nn.init.normal_(model.logits_bias)
    return model


@pytest.mark.parametrize(("share", "bias"), [("all", False), ("none", True)])
@pytest.mark.parametrize("at_once", [1, 4 * 11, 10**6])
@pytest.mark.parametrize(("n_runs", "rdrop"), [(1, 0.0), (2, 5.0)])
def test_the_loss_in_pieces_and_all_its_gradients_are_those_of_the_whole(
    share: str, bias: bool, at_once: int, n_runs: int, rdrop: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loss_module, "LOGITS_AT_ONCE", at_once)
    model = small_model(share, bias=bias)
    tgt_out = torch.tensor([[5, 3, 10, 0], [1, 6, 0, 0], [7, 7, 2, 9]])  # [B, T]
    runs = torch.randn(n_runs, 3, 4, 6, requires_grad=True)  # [R, B, T, D]
    wanted = [runs, model.output_matrix, *([model.logits_bias] if model.logits_bias is not None else [])]
    whole = loss_of_logits(model.project(runs), tgt_out, pad_id=0, smoothing=0.1, rdrop=rdrop)
    pieces = vocabulary_loss(model, runs, tgt_out, smoothing=0.1, precision="fp32", rdrop=rdrop)
    assert_close(pieces.objective, whole.objective)
    assert_close(pieces.nll, whole.nll)
    found = torch.autograd.grad(pieces.objective / 7, wanted)  # the trainer divides
    for mine, theirs in zip(found, torch.autograd.grad(whole.objective / 7, wanted), strict=True):
        assert_close(mine, theirs)


def test_no_more_logits_than_agreed_are_held_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loss_module, "LOGITS_AT_ONCE", 5 * 11)
    sizes, compare = [], loss_module.compare_and_overwrite

    def noting(logits: Tensor, tgt_out: Tensor, smoothing: float, rdrop: float) -> loss_module.Compared:
        sizes.append(logits.size(1))
        return compare(logits, tgt_out, smoothing, rdrop)

    monkeypatch.setattr(loss_module, "compare_and_overwrite", noting)
    tgt_out = torch.randint(1, 11, (3, 4))  # [B, T]
    vocabulary_loss(small_model("all", bias=False), torch.randn(1, 3, 4, 6), tgt_out, smoothing=0.1, precision="fp32")
    assert sizes == [5, 5, 2]


def test_of_two_runs_half_as_many_places_are_held_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loss_module, "LOGITS_AT_ONCE", 5 * 11)
    sizes, compare_runs = [], loss_module.compare_runs

    def noting(logits: Tensor, tgt_out: Tensor, smoothing: float, rdrop: float) -> loss_module.Compared:
        sizes.append(logits.size(1))
        return compare_runs(logits, tgt_out, smoothing, rdrop)

    monkeypatch.setattr(loss_module, "compare_runs", noting)
    model, runs, tgt_out = small_model("all", bias=False), torch.randn(2, 1, 5, 6), torch.tensor([[5, 3, 10, 1, 2]])
    vocabulary_loss(model, runs, tgt_out, smoothing=0.1, precision="fp32", rdrop=1.0)
    assert sizes == [2, 2, 1]


class CountsAxes(Transformer):
    """As a learner may write it, by the letters of the axes."""

    def project(self, hidden: Tensor) -> Tensor:
        return torch.einsum("btd,vd->btv", hidden, self.output_matrix)


@pytest.mark.parametrize(("n_runs", "rdrop"), [(1, 0.0), (2, 5.0)])
def test_a_projection_of_ones_own_gets_three_axes_and_gives_the_same_loss(n_runs: int, rdrop: float) -> None:
    model = small_model("all", bias=False)
    own = CountsAxes(model.config)
    own.load_state_dict(model.state_dict())
    runs, tgt_out = torch.randn(n_runs, 2, 3, 6), torch.tensor([[5, 3, 0], [1, 6, 2]])
    losses = [vocabulary_loss(one, runs, tgt_out, smoothing=0.1, precision="fp32", rdrop=rdrop) for one in (own, model)]
    assert_close(losses[0].objective, losses[1].objective)
    assert_close(losses[0].nll, losses[1].nll)


def test_a_batch_of_nothing_but_pads_has_no_loss_and_a_gradient_of_zero() -> None:
    model, hidden = small_model("all", bias=False), torch.randn(1, 2, 3, 6, requires_grad=True)
    nothing = torch.zeros(2, 3, dtype=torch.long)
    loss = vocabulary_loss(model, hidden, nothing, smoothing=0.1, precision="fp32")
    assert loss.objective.item() == 0
    assert not gradient(loss.objective, hidden).any()
