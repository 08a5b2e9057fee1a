"""Stage 25: your translator. All that you have written, joined at three places.

The tokenizer is a real one, with pad_id, bos_id, eos_id and

    encode_source("I like pizza.")     ids of an English sentence, the end token included
    encode_target("मुझे ... है।")        ids of a Hindi sentence, the end token included
    decode_target(ids)                 the Hindi text
"""

from typing import Any

import torch
from s15_transformer import Transformer
from s17_batches_and_the_shift import make_batch
from s18_label_smoothing import smoothed_loss
from s21_greedy import greedy
from torch import Tensor, nn


def build(config: Any) -> Transformer:
    """Your model in the sizes that a config names.

    config has vocab_size, d_model, n_heads, d_ff, n_encoder_layers, n_decoder_layers, dropout, norm_placement ("post" or
    "pre"), pad_id and max_length.
    """
    # Your code here
    raise NotImplementedError


def loss_of(model: nn.Module, tokenizer: Any, pairs: list[tuple[str, str]], smoothing: float = 0.1) -> Tensor:
    """How far the model is from saying what it should, for pairs of English and Hindi sentences. A scalar.

    Text to ids, ids to a batch, the batch through the model, the logits against what should have been said. Mind the
    end token: look at what your make_batch adds.
    """
    # Your code here
    raise NotImplementedError


def translate(model: nn.Module, tokenizer: Any, sentence: str) -> str:
    """English in, Hindi out.

    Text to ids [1, S], greedy, ids to text. A translation may be longer than its source: allow twice its length and ten.
    """
    # Your code here
    raise NotImplementedError
