"""Sub-layers as methods, masks always made, norms applied by hand."""

import torch
from s07_many_heads import MultiHeadAttention
from s11_feed_forward import FeedForward
from s12_norm_and_residual import LayerNorm, Residual
from torch import nn
from torch.nn.functional import dropout as drop


class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, placement="post"):
        super().__init__()
        self.placement, self.rate = placement, dropout
        self.self_attention, self.cross_attention = (MultiHeadAttention(d_model, n_heads) for _ in range(2))
        self.feed_forward = FeedForward(d_model, d_ff)
        for name in ("self_attention", "cross_attention", "feed_forward"):
            setattr(self, f"{name}_residual", Residual(LayerNorm(d_model), placement))

    def add(self, x, name, *memory):
        norm = getattr(self, f"{name}_residual").norm
        y = norm(x) if self.placement == "pre" else x
        added = getattr(self, f"do_{name}")(y, *memory)
        x = x + drop(added, self.rate, self.training)
        return x if self.placement == "pre" else norm(x)

    def do_self_attention(self, y, visible):
        return self.self_attention(y, y, y, visible)[0]

    def do_cross_attention(self, y, memory, visible):
        return self.cross_attention(query=y, key=memory, value=memory, visible=visible)[0]

    def do_feed_forward(self, y):
        return self.feed_forward(y)

    def forward(self, x, memory, visible=None, memory_visible=None):
        everything = torch.ones(1, 1, 1, 1, dtype=torch.bool)
        x = self.add(x, "self_attention", everything if visible is None else visible)
        x = self.add(x, "cross_attention", memory, everything if memory_visible is None else memory_visible)
        return self.add(x, "feed_forward")


class Decoder(nn.Module):
    def __init__(self, n_layers, d_model, n_heads, d_ff, dropout=0.0, placement="post"):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(n_layers):
            self.layers.append(DecoderLayer(d_model, n_heads, d_ff, dropout, placement))
        self.norm = LayerNorm(d_model) if placement == "pre" else None

    def forward(self, x, memory, visible=None, memory_visible=None):
        for layer in self.layers:
            x = layer(x, memory, visible, memory_visible)
        return self.norm(x) if self.norm is not None else x
