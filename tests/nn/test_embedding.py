"""Token embeddings."""

import torch
from torch.testing import assert_close

from glassformer.nn import TokenEmbedding


def test_an_embedding_is_its_row_times_the_root_of_d_model() -> None:
    embedding = TokenEmbedding(7, 16)
    assert_close(embedding(torch.tensor([[3, 0]])), 4.0 * embedding.table.weight[[3, 0]][None])


def test_scaling_can_be_left_out_as_some_marian_models_do() -> None:
    embedding = TokenEmbedding(7, 16, scaled=False)
    assert_close(embedding(torch.tensor([[3, 0]])), embedding.table.weight[[3, 0]][None])
