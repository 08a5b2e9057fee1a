"""The article's way: Xavier for every parameter that has two axes, the table included; einsum; masks made by hand."""

import torch
from s09_embeddings import TokenEmbedding
from s10_positions import Positions
from s13_encoder import Encoder
from s14_decoder import Decoder
from torch import nn


class Transformer(nn.Module):
    def __init__(
        self, vocab_size, d_model, n_heads, d_ff, n_encoder_layers, n_decoder_layers, dropout=0.0, placement="post",
        pad_id=0, max_length=256,
    ):  # fmt: skip
        super().__init__()
        self.pad_id = pad_id
        self.embedding = TokenEmbedding(vocab_size, d_model)
        self.positions = Positions(d_model, max_length, dropout)
        self.encoder = Encoder(n_encoder_layers, d_model, n_heads, d_ff, dropout, placement)
        self.decoder = Decoder(n_decoder_layers, d_model, n_heads, d_ff, dropout, placement)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)

    def encode(self, src):
        real = src.ne(self.pad_id).view(src.size(0), 1, 1, -1)
        return self.encoder(self.positions(self.embedding(src)), real)

    def decode(self, tgt_in, memory, src):
        n = tgt_in.size(1)
        past = torch.triu(torch.ones(1, 1, n, n, dtype=torch.bool, device=tgt_in.device), diagonal=1).logical_not()
        real = src.ne(self.pad_id).view(src.size(0), 1, 1, -1)
        return self.decoder(self.positions(self.embedding(tgt_in)), memory, visible=past, memory_visible=real)

    def project(self, x):
        return torch.einsum("...d,vd->...v", x, self.embedding.table.weight)

    def forward(self, src, tgt_in):
        return self.project(self.decode(tgt_in, self.encode(src), src))
