"""Sentences that have ended leave the batch, so that the rest gets faster."""

import torch
from torch import Tensor, nn


@torch.no_grad()
def greedy(model: nn.Module, src: Tensor, bos_id: int, eos_id: int, max_length: int) -> list[list[int]]:
    """Who is still speaking is a list of row numbers."""
    was_training = model.training
    model.train(False)
    memory = model.encode(src)
    translations: list[list[int]] = [[] for _ in src]
    speaking = list(range(len(src)))
    while speaking and len(translations[speaking[0]]) < max_length:
        tgt_in = torch.tensor([[bos_id, *translations[row]] for row in speaking])
        logits = model.project(model.decode(tgt_in, memory[speaking], src[speaking]))[:, -1]
        tokens = dict(zip(speaking, logits.topk(1).indices.flatten().tolist(), strict=True))
        speaking = [row for row in speaking if tokens[row] != eos_id]
        for row in speaking:
            translations[row].append(tokens[row])
    model.train(was_training)
    return translations
