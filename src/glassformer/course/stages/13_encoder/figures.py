"""The pictures of this lesson."""

import torch

from glassformer.course.figures import Curves, Diagram
from glassformer.nn import Encoder, ModelConfig, Trace


def layer() -> Diagram:
    """The left grey box of figure 1, read from below, and the same with the norms moved."""
    return Diagram("""
    post, as in the paper                    pre

              y                               y
              │                               │
           [ Norm ]                          (+)◀───────┐
              │                               │         │
             (+)◀───────┐               feed_forward    │
              │         │                     │         │
        feed_forward    │                  [ Norm ]     │
              │         │                     │         │
              ├─────────┘                     ├─────────┘
              │                               │
           [ Norm ]                          (+)◀───────┐
              │                               │         │
             (+)◀───────┐              self_attention   │
              │         │                     │         │
       self_attention   │                  [ Norm ]     │
              │         │                     │         │
              ├─────────┘                     ├─────────┘
              │                               │
              x                               x
""")


def growth() -> Curves:
    """The mean length of the vectors after each of twelve layers with first weights, post and pre, without the last norm."""
    series = {}
    for placement in ("pre", "post"):
        torch.manual_seed(13)
        config = ModelConfig(
            vocab_size=9, d_model=64, n_heads=4, d_ff=128, n_encoder_layers=12, dropout=0.0, norm_placement=placement
        )
        trace = Trace(also=("activations",))
        encoder = Encoder(config).eval()
        for module in encoder.modules():
            if isinstance(module, torch.nn.Linear):
                torch.nn.init.xavier_uniform_(module.weight)
        with torch.no_grad():
            encoder(torch.randn(4, 9, 64), trace=trace)
        names = ["encoder.embedding", *(f"encoder.{i}" for i in range(12))]
        series[placement] = [trace.activations[name].norm(dim=-1).mean().item() for name in names]
    return Curves(series=series, across="layers passed")
