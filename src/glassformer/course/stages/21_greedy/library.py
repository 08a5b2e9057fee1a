"""The library's greedy search, on a model without a cache: all tokens so far go through the decoder each time."""

import torch
from torch import Tensor, nn

from glassformer.translation.config import SearchConfig
from glassformer.translation.sampling import greedy_search
from glassformer.translation.search import Marks


class Prefixes:
    """What the library's searches ask for: a batch of sentences being continued."""

    def __init__(self, model: nn.Module, src: Tensor, bos_id: int) -> None:
        self.model, self.src, self.memory = model, src, model.encode(src)
        self.tgt_in = src.new_full((src.size(0), 1), bos_id)

    def start(self) -> Tensor:
        """What comes first: [B, V]."""
        hidden = self.model.decode(self.tgt_in, self.memory, self.src)
        return self.model.project(hidden[:, -1]).log_softmax(dim=-1)

    def advance(self, tokens: Tensor, parents: Tensor | None) -> Tensor:
        """What comes next: [B, V]. A greedy search has one row a sentence, so parents say nothing."""
        self.tgt_in = torch.cat((self.tgt_in, tokens[:, None]), dim=1)
        return self.start()

    def keep(self, rows: Tensor) -> None:
        """Forget the sentences that have ended."""
        self.src, self.memory, self.tgt_in = self.src[rows], self.memory[rows], self.tgt_in[rows]


def greedy(model: nn.Module, src: Tensor, bos_id: int, eos_id: int, max_length: int) -> list[list[int]]:
    """The stage's form of it."""
    was_training = model.training
    model.eval()
    with torch.inference_mode():
        stepper = Prefixes(model, src, bos_id)
        limits = [max_length] * src.size(0)
        found = greedy_search(stepper, limits, Marks(end=eos_id), SearchConfig(beam_width=1))
    model.train(was_training)
    return [[token for token in hypotheses[0].ids if token != eos_id] for hypotheses in found]
