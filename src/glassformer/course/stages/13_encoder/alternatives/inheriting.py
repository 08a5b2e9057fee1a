"""A layer that is a ModuleDict in disguise, a stack that is an nn.ModuleList with a forward, lambdas for sub-layers."""

from s07_many_heads import MultiHeadAttention
from s11_feed_forward import FeedForward
from s12_norm_and_residual import LayerNorm, Residual
from torch import nn


class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, placement="post"):
        super().__init__()
        parts = {
            "self_attention": MultiHeadAttention(d_model, n_heads),
            "feed_forward": FeedForward(d_model, d_ff, dropout),
        }
        for name, part in parts.items():
            self.add_module(name, part)
            self.add_module(f"{name}_residual", Residual(LayerNorm(d_model), placement, dropout))

    def forward(self, x, visible=None):
        x = self.self_attention_residual(x, lambda y: self.self_attention(query=y, key=y, value=y, visible=visible)[0])
        return self.feed_forward_residual(x, lambda y: self.feed_forward(y))


class Encoder(nn.ModuleList):
    def __init__(self, n_layers, d_model, n_heads, d_ff, dropout=0.0, placement="post"):
        super().__init__(EncoderLayer(d_model, n_heads, d_ff, dropout, placement) for _ in range(n_layers))
        self.has_norm = placement == "pre"
        if self.has_norm:
            self.append(LayerNorm(d_model))

    @property
    def layers(self):
        return list(self)[:-1] if self.has_norm else list(self)

    @property
    def norm(self):
        return self[-1] if self.has_norm else nn.Identity()

    def forward(self, x, visible=None):
        for layer in self.layers:
            x = layer(x, visible)
        return self.norm(x)
