"""Weights to torch's modules and back."""

from typing import Any

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from glassformer.interop.torch_nn import copy_weights
from glassformer.nn import EncoderLayer, ModelConfig, MultiHeadAttention, Transformer

CONFIG = ModelConfig(
    vocab_size=9, d_model=12, n_heads=3, d_ff=20, n_encoder_layers=2, n_decoder_layers=4, dropout=0.0, final_norm=True
)


def torch_twin(**changes: Any) -> nn.Transformer:
    sizes = {"d_model": 12, "nhead": 3, "num_encoder_layers": 2, "num_decoder_layers": 4, "dim_feedforward": 20}
    return nn.Transformer(**(sizes | {"dropout": 0.0, "batch_first": True} | changes))


def test_weights_go_to_torch_and_come_back_unchanged() -> None:
    ours, theirs, back = Transformer(CONFIG), torch_twin(), Transformer(CONFIG)
    copy_weights(ours, theirs)
    copy_weights(theirs, back)
    for stack in ("encoder", "decoder"):
        for name, tensor in ours.get_submodule(stack).state_dict().items():
            assert (back.get_submodule(stack).state_dict()[name] == tensor).all(), name


def test_what_was_copied_to_torch_computes_the_same_there() -> None:
    ours, theirs = Transformer(CONFIG), torch_twin()
    copy_weights(ours, theirs)
    x = torch.randn(2, 5, 12)
    assert_close(theirs.encoder(x), ours.encoder(x), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(
    ("ours", "theirs", "message"),
    [
        (MultiHeadAttention(12, 3), nn.TransformerEncoderLayer(12, 3), "are no pair"),
        (MultiHeadAttention(12, 3), nn.MultiheadAttention(15, 3), r"\[12, 12\] in ours and \[15, 15\] in torch's"),
        (MultiHeadAttention(12, 3), nn.MultiheadAttention(12, 3, kdim=4), "kdim or vdim"),
        (MultiHeadAttention(12, 3), nn.MultiheadAttention(12, 4), "ours has 3 heads, torch's 4"),
        (MultiHeadAttention(12, 3), nn.MultiheadAttention(12, 3, add_bias_kv=True), "add_bias_kv or add_zero_attn"),
        (MultiHeadAttention(12, 3), nn.MultiheadAttention(12, 3, bias=False), "bias differs"),
        (Transformer(CONFIG), torch_twin(num_decoder_layers=3), "ours has 4 layers, torch's 3"),
        (Transformer(CONFIG.with_changes(final_norm=False)), torch_twin(), "bias or final_norm differ"),
        (EncoderLayer(CONFIG.with_changes(gated=True)), nn.TransformerEncoderLayer(12, 3, 20), "gated feed-forward"),
    ],
)
def test_modules_that_do_not_match_are_refused_in_words(ours: nn.Module, theirs: nn.Module, message: str) -> None:
    before = {name: tensor.clone() for name, tensor in ours.state_dict().items()}
    with pytest.raises(ValueError, match=message):
        copy_weights(theirs, ours)
    assert all((tensor == before[name]).all() for name, tensor in ours.state_dict().items())
