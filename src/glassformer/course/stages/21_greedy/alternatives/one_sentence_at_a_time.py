"""No batch: each sentence alone, with the whole of its own padding."""

import torch
from torch import Tensor, nn


def greedy(model: nn.Module, src: Tensor, bos_id: int, eos_id: int, max_length: int) -> list[list[int]]:
    """Slow, and right."""
    was_training = model.training
    model.eval()
    translations = []
    with torch.inference_mode():
        for row in src:
            row = row[None]
            memory, ids = model.encode(row), [bos_id]
            while len(ids) <= max_length:
                logits = model.project(model.decode(torch.tensor([ids]), memory, row))
                token = int(logits[0, -1].argmax())
                if token == eos_id:
                    break
                ids.append(token)
            translations.append(ids[1:])
    model.train(was_training)
    return translations
