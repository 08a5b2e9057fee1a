"""Everything spelled out: norms, sums and dropout written into the layer, residuals only as holders of their norms."""

from s07_many_heads import MultiHeadAttention
from s11_feed_forward import FeedForward
from s12_norm_and_residual import LayerNorm, Residual
from torch import nn
from torch.nn.functional import dropout as drop


class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, placement="post"):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.self_attention_residual = Residual(LayerNorm(d_model), placement)
        self.feed_forward_residual = Residual(LayerNorm(d_model), placement)
        self.is_pre, self.rate = placement == "pre", dropout

    def forward(self, x, visible=None):
        first, second = self.self_attention_residual.norm, self.feed_forward_residual.norm
        y = first(x) if self.is_pre else x
        x = x + drop(self.self_attention(y, y, y, visible)[0], self.rate, self.training)
        x = x if self.is_pre else first(x)
        y = second(x) if self.is_pre else x
        x = x + drop(self.feed_forward(y), self.rate, self.training)
        return x if self.is_pre else second(x)


class Encoder(nn.Module):
    def __init__(self, n_layers, d_model, n_heads, d_ff, dropout=0.0, placement="post"):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(n_layers):
            self.layers.append(EncoderLayer(d_model, n_heads, d_ff, dropout=dropout, placement=placement))
        self.norm = LayerNorm(d_model) if placement == "pre" else None

    def forward(self, x, visible=None):
        for layer in self.layers:
            x = layer(x, visible)
        return x if self.norm is None else self.norm(x)
