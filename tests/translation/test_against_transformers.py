"""Our beam search on Marian's weights against transformers' `generate`, under the penalty that both have."""

from typing import Any

import pytest
import torch

from glassformer.interop.marian import from_marian
from glassformer.translation.config import SearchConfig, Stopping
from glassformer.translation.engine import TorchEngine

PAD, END = 28, 0
SIZES: dict[str, Any] = {
    "vocab_size": 29,
    "d_model": 24,
    "encoder_layers": 1,
    "decoder_layers": 2,
    "encoder_attention_heads": 3,
    "decoder_attention_heads": 3,
    "encoder_ffn_dim": 40,
    "decoder_ffn_dim": 40,
    "max_position_embeddings": 64,
    "activation_function": "swish",
    "scale_embedding": True,
    "pad_token_id": PAD,
    "eos_token_id": END,
    "decoder_start_token_id": PAD,
}
SOURCES = [[5, 9, 4, 8, 7, END], [6, 7, 3, END], [1, END], [12, 11, 10, 9, 8, 7, 6, END], [20, 21, END]]


def random_marian() -> Any:
    from transformers import MarianConfig, MarianMTModel

    torch.manual_seed(5)
    theirs = MarianMTModel(MarianConfig(**SIZES)).eval()
    with torch.no_grad():
        for name, parameter in theirs.named_parameters():
            if "embed_positions" not in name:
                parameter.add_(0.2 * torch.randn_like(parameter))
        # An end that is likely, so that hypotheses end at different lengths; a pad is never produced by either.
        theirs.final_logits_bias[0, END] += 2.0
        theirs.final_logits_bias[0, PAD] = -torch.inf
    return theirs


@pytest.mark.slow
@pytest.mark.parametrize(("stopping", "early_stopping"), [("bound", "never"), ("count", True), ("present", False)])
@pytest.mark.parametrize("alpha", [0.0, 1.0])
@pytest.mark.parametrize("width", [1, 2, 5])
def test_beam_search_finds_what_generate_finds(
    stopping: Stopping, early_stopping: bool | str, alpha: float, width: int
) -> None:
    theirs = random_marian()
    ours = from_marian(theirs.config.to_dict(), theirs.state_dict())
    # n_best as wide as the beam: generate's bound asks whether any of its hypotheses can still be bettered.
    config = SearchConfig(
        beam_width=width, n_best=width, penalty="power", alpha=alpha, stopping=stopping, max_length=12
    )
    found = TorchEngine(ours).search(SOURCES, config)
    lengths = set()
    for source, hypotheses in zip(SOURCES, found, strict=True):
        expected = theirs.generate(
            input_ids=torch.tensor([source]),
            num_beams=width,
            num_return_sequences=width,
            length_penalty=alpha,
            early_stopping=early_stopping if width > 1 else False,
            max_new_tokens=12,
            do_sample=False,
            output_scores=True,
            return_dict_in_generate=True,
            forced_eos_token_id=None,
        )
        for rank, hypothesis in enumerate(hypotheses):
            ids = expected.sequences[rank, 1:].tolist()
            while ids[-1:] == [PAD]:
                ids.pop()
            assert hypothesis.ids == ids
            lengths.add(len(ids))
            if width > 1:
                assert hypothesis.score == pytest.approx(float(expected.sequences_scores[rank]), abs=1e-5)
    assert len(lengths) > 1
