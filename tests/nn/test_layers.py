"""Encoder and decoder layers and stacks against torch's, for copied weights: outputs and gradients."""

import subprocess
import sys
from typing import Any

import pytest
import torch
from torch import nn

from glassformer.interop.torch_nn import copy_weights
from glassformer.nn import DecoderLayer, EncoderLayer, ModelConfig, Transformer, no_future

from .oracle import assert_same_gradients

SIZES: dict[str, Any] = {"d_model": 12, "nhead": 3, "dim_feedforward": 20, "dropout": 0.0, "batch_first": True}


def config(placement: str, activation: str = "relu", bias: bool = True, **changes: Any) -> ModelConfig:
    return ModelConfig(
        vocab_size=9,
        d_model=12,
        n_heads=3,
        d_ff=20,
        n_encoder_layers=2,
        n_decoder_layers=4,
        dropout=0.0,
        activation=activation,
        norm_placement=placement,
        bias=bias,
        **changes,
    )


def randomise(module: nn.Module) -> None:
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=0.3)


@pytest.mark.parametrize("placement", ["post", "pre"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("bias", [True, False])
def test_an_encoder_layer_equals_torchs(placement: str, activation: str, bias: bool) -> None:
    torch.manual_seed(0)
    theirs = nn.TransformerEncoderLayer(**SIZES, activation=activation, norm_first=placement == "pre", bias=bias)
    ours = EncoderLayer(config(placement, activation, bias))
    randomise(theirs)
    copy_weights(theirs, ours)
    x = torch.randn(2, 5, 12, requires_grad=True)
    pads = torch.tensor([[False] * 5, [False, False, False, True, True]])
    output, expected = ours(x, ~pads[:, None, None, :]), theirs(x, src_key_padding_mask=pads)
    assert_same_gradients(ours, theirs, output, expected, [x])


@pytest.mark.parametrize("placement", ["post", "pre"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_a_decoder_layer_equals_torchs(placement: str, activation: str) -> None:
    torch.manual_seed(1)
    theirs = nn.TransformerDecoderLayer(**SIZES, activation=activation, norm_first=placement == "pre")
    ours = DecoderLayer(config(placement, activation))
    randomise(theirs)
    copy_weights(theirs, ours)
    x, memory = torch.randn(2, 5, 12, requires_grad=True), torch.randn(2, 7, 12, requires_grad=True)
    pads = torch.zeros(2, 7, dtype=torch.bool)
    pads[1, 4:] = True
    output = ours(x, memory, no_future(5, 5), ~pads[:, None, None, :])
    expected = theirs(x, memory, tgt_mask=~no_future(5, 5), memory_key_padding_mask=pads)
    assert_same_gradients(ours, theirs, output, expected, [x, memory])


@pytest.mark.parametrize("placement", ["post", "pre"])
def test_both_stacks_equal_torchs_transformer(placement: str) -> None:
    torch.manual_seed(2)
    theirs = nn.Transformer(
        **SIZES, num_encoder_layers=2, num_decoder_layers=4, activation="gelu", norm_first=placement == "pre"
    )
    randomise(theirs)
    ours = Transformer(config(placement, "gelu", final_norm=True))
    copy_weights(theirs, ours)
    source, target = torch.randn(2, 7, 12, requires_grad=True), torch.randn(2, 5, 12, requires_grad=True)
    pads = torch.zeros(2, 7, dtype=torch.bool)
    pads[0, 5:] = True
    visible = ~pads[:, None, None, :]
    output = ours.decoder(target, ours.encoder(source, visible), no_future(5, 5), visible)
    expected = theirs(
        source, target, tgt_mask=~no_future(5, 5), src_key_padding_mask=pads, memory_key_padding_mask=pads
    )
    assert_same_gradients(ours.encoder, theirs.encoder, output, expected, [source])
    assert_same_gradients(ours.decoder, theirs.decoder, output, expected, [target])


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("Residual(RMSNorm(6), placement='Pre', dropout=0.0)", "placement is 'Pre'; it must be"),
        ("FeedForward(6, 10, activation='swish')", "activation is 'swish'; it must be one of relu, gelu, silu"),
    ],
)
def test_a_part_used_on_its_own_refuses_words_it_does_not_know(part: str, message: str) -> None:
    # In a process of its own: here, the type checks that run with the tests would speak first.
    program = f"from glassformer.nn import *; {part}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert f"ValueError: {message}" in done.stderr
