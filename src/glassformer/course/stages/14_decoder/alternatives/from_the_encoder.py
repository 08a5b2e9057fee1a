"""A decoder layer that inherits from the encoder layer, and a stack that is driven by functools.reduce."""

from functools import reduce

from s07_many_heads import MultiHeadAttention
from s12_norm_and_residual import LayerNorm, Residual
from s13_encoder import EncoderLayer
from torch import nn


class DecoderLayer(EncoderLayer):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, placement="post"):
        super().__init__(d_model, n_heads, d_ff, dropout, placement)
        self.cross_attention = MultiHeadAttention(d_model, n_heads)
        self.cross_attention_residual = Residual(LayerNorm(d_model), placement, dropout)

    def forward(self, x, memory, visible=None, memory_visible=None):
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, visible)[0])
        x = self.cross_attention_residual(x, lambda y: self.cross_attention(y, memory, memory, memory_visible)[0])
        return self.feed_forward_residual(x, self.feed_forward)


class Decoder(nn.Module):
    def __init__(self, n_layers, d_model, n_heads, d_ff, dropout=0.0, placement="post"):
        super().__init__()
        self.layers = nn.ModuleList(DecoderLayer(d_model, n_heads, d_ff, dropout, placement) for _ in range(n_layers))
        if placement == "pre":
            self.norm = LayerNorm(d_model)

    def forward(self, x, memory, visible=None, memory_visible=None):
        x = reduce(lambda so_far, layer: layer(so_far, memory, visible, memory_visible), self.layers, x)
        return self.norm(x) if hasattr(self, "norm") else x
