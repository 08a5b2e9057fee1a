"""Stage 21: greedy translation, the likeliest next token each time. Paper: section 3.1, "auto-regressive"."""

import torch
from torch import Tensor, nn


@torch.no_grad()
def greedy(model: nn.Module, src: Tensor, bos_id: int, eos_id: int, max_length: int) -> list[list[int]]:
    """Translate a batch: src [B, S] -> for each sentence its ids, without the start and the end token."""
    was_training = model.training
    model.eval()
    memory = model.encode(src)  # [B, S, D]
    tgt_in = src.new_full((src.size(0), 1), bos_id)  # [B, 1]
    ended = torch.zeros(src.size(0), dtype=torch.bool, device=src.device)  # [B]
    for _ in range(max_length):
        hidden = model.decode(tgt_in, memory, src)  # [B, T, D]
        logits = model.project(hidden[:, -1])  # [B, V]
        tokens = logits.argmax(dim=-1)  # [B]
        tgt_in = torch.cat((tgt_in, tokens[:, None]), dim=1)  # [B, T + 1]
        ended = ended | (tokens == eos_id)
        if ended.all():
            break
    model.train(was_training)
    return [until_end(ids, eos_id) for ids in tgt_in[:, 1:].tolist()]


def until_end(ids: list[int], eos_id: int) -> list[int]:
    """What stands before the first end token: a sentence that ended early has been carried along since."""
    return ids[: ids.index(eos_id)] if eos_id in ids else ids
