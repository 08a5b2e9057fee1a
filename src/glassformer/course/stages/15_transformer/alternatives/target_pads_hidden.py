"""Hides the target's pads as well as the future (which changes nothing at real places), and shares a Linear's weight."""

import torch
from s05_masks import may_look, real_places
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
        self.encoder = Encoder(n_encoder_layers, d_model, n_heads, d_ff, dropout=dropout, placement=placement)
        self.decoder = Decoder(n_decoder_layers, d_model, n_heads, d_ff, dropout=dropout, placement=placement)
        self.apply(self.first_weights)
        self.embedding = TokenEmbedding(vocab_size, d_model)
        self.positions = Positions(d_model, max_length, dropout)
        self.output = nn.Linear(d_model, vocab_size, bias=False)
        self.output.weight = self.embedding.table.weight

    @torch.no_grad()
    def first_weights(self, module):
        if isinstance(module, nn.Linear):
            nn.init.xavier_normal_(module.weight)
            module.bias.zero_()

    def embed(self, ids):
        return self.positions(self.embedding(ids))

    def encode(self, src):
        return self.encoder(self.embed(src), real_places(src, self.pad_id))

    def decode(self, tgt_in, memory, src):
        return self.decoder(self.embed(tgt_in), memory, may_look(tgt_in, self.pad_id), real_places(src, self.pad_id))

    def project(self, x):
        return self.output(x)

    def forward(self, src, tgt_in):
        return self.project(self.decode(tgt_in, self.encode(src), src))
