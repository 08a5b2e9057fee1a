"""Our layers with Marian's weights give Marian's logits and attention: the oracle is transformers."""

from typing import Any

import pytest
import torch
from torch.testing import assert_close

from glassformer.interop.marian import config_from_marian, from_marian
from glassformer.nn import ModelConfig, Trace

SIZES: dict[str, Any] = {
    "vocab_size": 29,
    "d_model": 24,
    "encoder_layers": 2,
    "decoder_layers": 3,
    "encoder_attention_heads": 3,
    "decoder_attention_heads": 3,
    "encoder_ffn_dim": 40,
    "decoder_ffn_dim": 40,
    "max_position_embeddings": 64,
    "activation_function": "swish",
    "scale_embedding": True,
    "pad_token_id": 28,
    "eos_token_id": 0,
    "decoder_start_token_id": 28,
}
VARIANTS: dict[str, dict[str, Any]] = {
    "as OPUS-MT": {},
    "gelu, unscaled": {"activation_function": "gelu", "scale_embedding": False},
    "separate vocabularies": {"share_encoder_decoder_embeddings": False, "decoder_vocab_size": 33},
}


def random_marian(**changes: Any) -> Any:
    from transformers import MarianConfig, MarianMTModel

    torch.manual_seed(0)
    theirs = MarianMTModel(MarianConfig(**(SIZES | changes), attn_implementation="eager")).eval()
    with torch.no_grad():
        for name, parameter in theirs.named_parameters():
            if "embed_positions" not in name:
                parameter.add_(0.1 * torch.randn_like(parameter))
        theirs.final_logits_bias.normal_()
    return theirs


@pytest.mark.parametrize("variant", VARIANTS)
def test_logits_and_attention_of_every_layer_equal_marians_with_padding(variant: str) -> None:
    theirs = random_marian(**VARIANTS[variant])
    ours = from_marian(theirs.config.to_dict(), theirs.state_dict()).eval()
    pad = 28
    src = torch.tensor([[5, 9, 4, 8, 7, 0], [6, 7, 3, 0, pad, pad], [1, 0, pad, pad, pad, pad]])
    tgt = torch.tensor([[pad, 7, 8, 11, 12], [pad, 9, 9, pad, pad], [pad, 3, pad, pad, pad]])
    trace = Trace()
    with torch.no_grad():
        logits = ours(src, tgt, trace=trace)
        expected = theirs(
            input_ids=src, attention_mask=(src != pad).long(), decoder_input_ids=tgt, output_attentions=True
        )
    assert_close(logits, expected.logits, atol=1e-5, rtol=1e-5)
    for kind, theirs_by_layer in (
        ("encoder.{}.self", expected.encoder_attentions),
        ("decoder.{}.self", expected.decoder_attentions),
        ("decoder.{}.cross", expected.cross_attentions),
    ):
        for i, weights in enumerate(theirs_by_layer):
            assert_close(trace.weights[kind.format(i)], weights, atol=1e-5, rtol=1e-5)


def test_our_marian_preset_is_what_opus_mt_models_are() -> None:
    from transformers import MarianConfig

    opus = MarianConfig(
        vocab_size=60716,
        d_model=512,
        encoder_layers=6,
        decoder_layers=6,
        encoder_attention_heads=8,
        decoder_attention_heads=8,
        encoder_ffn_dim=2048,
        decoder_ffn_dim=2048,
        max_position_embeddings=512,
        activation_function="swish",
        scale_embedding=True,
        pad_token_id=60715,
        eos_token_id=0,
        decoder_start_token_id=60715,
        dropout=0.1,
    )
    assert config_from_marian(opus.to_dict()) == ModelConfig.preset("marian", vocab_size=60716)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"decoder_attention_heads": 4}, "encoder_attention_heads is 3 and decoder_attention_heads 4"),
        ({"activation_function": "tanh"}, "activation_function is 'tanh'"),
    ],
)
def test_a_marian_model_we_cannot_express_is_refused_in_words(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        config_from_marian(SIZES | changes)
