"""The pictures of this lesson."""

import torch
from torch.nn.functional import cross_entropy

from glassformer.course.figures import Curves, Diagram
from glassformer.data.batch import pad_batch
from glassformer.data.demo import articles_sentences
from glassformer.nn import ModelConfig, Transformer


def line() -> Diagram:
    """From text to text, and from text to weights."""
    return Diagram("""
 translate
  "I like pizza"
      │ subwords 16
      ▼
     ids ──▶ embedding ──▶ positions ──▶ encoder ──▶ memory
                09            10           13          │
                                                       ▼
   start ──▶ embedding ──▶ positions ──▶ decoder  ◀── cross-attention
     ▲                                     14
     │                                     ▼
     └── next word ◀── greedy 21 ◀──── logits 15
             │         beam 22
             ▼
  "मुझे पिज़्ज़ा पसंद है"  ──▶ BLEU 24

 loss_of
  pairs ──▶ ids 16 ──▶ batch, shifted 17 ──▶ logits 15 ──▶ loss 18
                                                             │
                 weights ◀── step 20 ◀── learning rate 19 ◀──┘
""")


def loss() -> Curves:
    """A small model and four sentences, word by word, learnt by heart."""
    pairs = [(pair.english.split(), pair.hindi.split()) for pair in articles_sentences()]
    words = {
        word: 4 + place for place, word in enumerate(sorted({word for pair in pairs for side in pair for word in side}))
    }
    ids = [[[words[word] for word in side] + [3] for side in pair] for pair in pairs]
    batch = pad_batch([source for source, _ in ids], [target for _, target in ids], 0, 2)
    torch.manual_seed(25)
    model = Transformer(
        ModelConfig(
            vocab_size=4 + len(words),
            d_model=24,
            n_heads=3,
            d_ff=40,
            n_encoder_layers=1,
            n_decoder_layers=1,
            dropout=0.0,
        )
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=0.008)
    losses = []
    for _ in range(50):
        found = cross_entropy(model(batch.src, batch.tgt_in).flatten(0, 1), batch.tgt_out.flatten(), ignore_index=0)
        optimizer.zero_grad()
        found.backward()
        optimizer.step()
        losses.append(found.item())
    return Curves(series={"loss": losses}, across="steps")
