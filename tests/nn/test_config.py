"""ModelConfig: presets have the paper's sizes, wrong values are refused in words."""

import dataclasses
import subprocess
import sys

import pytest
import torch

from glassformer.nn import ModelConfig, Transformer


def count_parameters(config: ModelConfig) -> int:
    with torch.device("meta"):
        return sum(parameter.numel() for parameter in Transformer(config).parameters())


def test_the_base_model_has_the_papers_parameters() -> None:
    # tokens                     37000 * 512                                     = 18,944,000
    # one attention              4 * (512 * 512 + 512)                           =  1,050,624
    # one feed-forward           512 * 2048 + 2048 + 2048 * 512 + 512            =  2,099,712
    # one norm                   2 * 512                                         =      1,024
    # encoder layer              1 attention, 1 feed-forward, 2 norms            =  3,152,384
    # decoder layer              2 attentions, 1 feed-forward, 3 norms           =  4,204,032
    # in all                     18,944,000 + 6 * (3,152,384 + 4,204,032)        = 63,082,496
    # The paper rounds to 65 million.
    assert count_parameters(ModelConfig.preset("vanilla-2017", vocab_size=37000)) == 63_082_496


def test_the_big_model_has_the_papers_parameters() -> None:
    # tokens                     37000 * 1024                                    =  37,888,000
    # one attention              4 * (1024 * 1024 + 1024)                        =   4,198,400
    # one feed-forward           1024 * 4096 + 4096 + 4096 * 1024 + 1024         =   8,393,728
    # one norm                   2 * 1024                                        =       2,048
    # encoder layer              1 attention, 1 feed-forward, 2 norms            =  12,596,224
    # decoder layer              2 attentions, 1 feed-forward, 3 norms           =  16,796,672
    # in all                     37,888,000 + 6 * (12,596,224 + 16,796,672)      = 214,245,376
    # The paper says 213 million.
    assert count_parameters(ModelConfig.preset("vanilla-2017-big", vocab_size=37000)) == 214_245_376


def test_the_vanilla_preset_is_table_3s_base_row() -> None:
    base = ModelConfig.preset("vanilla-2017", vocab_size=37000)
    assert (base.n_encoder_layers, base.n_decoder_layers, base.d_model, base.d_ff, base.n_heads) == (6, 6, 512, 2048, 8)
    assert (base.head_width, base.dropout, base.norm_placement, base.has_final_norm) == (64, 0.1, "post", False)
    assert (base.activation, base.positions, base.share_embeddings) == ("relu", "sinusoidal", "all")


def test_the_big_preset_is_table_3s_big_row() -> None:
    big = ModelConfig.preset("vanilla-2017-big", vocab_size=37000)
    assert (big.n_encoder_layers, big.n_decoder_layers, big.d_model, big.d_ff, big.n_heads) == (6, 6, 1024, 4096, 16)
    assert big.dropout == 0.3


def test_the_modern_preset_has_no_bias_anywhere() -> None:
    with torch.device("meta"):
        model = Transformer(ModelConfig.preset("modern", vocab_size=100))
    assert [name for name, _ in model.named_parameters() if "bias" in name] == []


def test_marian_pads_with_the_last_token_and_starts_from_it() -> None:
    config = ModelConfig.preset("marian", vocab_size=123)
    assert (config.pad_id, config.decoder_start_id, config.eos_id) == (122, 122, 0)
    unequal = ModelConfig.preset("marian", vocab_size=300, tgt_vocab_size=400, share_embeddings="target")
    assert unequal.pad_id == 299
    with pytest.raises(ValueError, match="vocab_size is '300'; it must be of type int"):
        ModelConfig.preset("marian", vocab_size="300")


def test_pre_norm_ends_in_a_norm_and_post_norm_does_not() -> None:
    assert ModelConfig(vocab_size=9, norm_placement="pre").has_final_norm
    assert not ModelConfig(vocab_size=9, norm_placement="post").has_final_norm
    assert ModelConfig(vocab_size=9, norm_placement="post", final_norm=True).has_final_norm


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"d_model": 510}, "d_model 510 does not split into 8 heads of equal width"),
        ({"d_model": 9, "n_heads": 3}, "d_model 9 must be even"),
        ({"d_model": 15, "n_heads": 5, "positions": "rotary"}, "head width 3 .* must be even"),
        ({"tgt_vocab_size": 60}, "vocab_size is 50 and tgt_vocab_size 60"),
        ({"norm_placement": "pre", "final_norm": False}, 'norm_placement "pre" with final_norm False'),
        ({"positions": "sinusodal"}, "positions is 'sinusodal' .did you mean 'sinusoidal'"),
        ({"activation": "tanh"}, "activation is 'tanh'; it must be one of relu, gelu, silu"),
        ({"eos_id": 50}, "eos_id is 50, outside a vocabulary of 50 tokens"),
        ({"pad_id": 3}, "pad_id and eos_id are both 3"),
        ({"n_heads": 0}, "n_heads is 0; it must be at least 1"),
        ({"n_decoder_layers": -1}, "n_decoder_layers is -1"),
        ({"dropout": 1.0}, "dropout is 1.0; it must be at least 0 and below 1"),
        ({"dropout": "0.1"}, "dropout is '0.1'; it must be of type float"),
        ({"n_heads": True}, "n_heads is True; it must be of type int"),
        ({"bias": 1}, "bias is 1; it must be of type bool"),
        ({"tgt_vocab_size": "x"}, "tgt_vocab_size is 'x'; it must be of type int or None"),
        ({"norm_eps": 0.0}, "norm_eps is 0.0"),
        ({"tgt_vocab_size": 0, "share_embeddings": "target"}, "tgt_vocab_size is 0"),
    ],
)
def test_a_wrong_value_or_combination_is_refused_with_the_values(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ModelConfig.preset("vanilla-2017", vocab_size=50, **changes)


def test_an_unknown_preset_or_field_names_the_nearest_known_one() -> None:
    with pytest.raises(ValueError, match=r"preset 'vanila-2017' is not known \(did you mean 'vanilla-2017'"):
        ModelConfig.preset("vanila-2017", vocab_size=50)
    with pytest.raises(ValueError, match=r"no field 'n_head' \(did you mean 'n_heads'"):
        ModelConfig.preset("modern", vocab_size=50, n_head=4)
    with pytest.raises(ValueError, match=r"no field 'n_head' \(did you mean 'n_heads'"):
        ModelConfig(vocab_size=50).with_changes(n_head=4)


def test_a_config_cannot_change_after_it_was_checked() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        ModelConfig(vocab_size=9).n_heads = 7


def test_a_config_can_be_had_without_torch() -> None:
    program = "import sys; from glassformer.nn import ModelConfig; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
