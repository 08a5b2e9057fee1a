"""One more token for every beam of a batch, on gathered weights: the same numbers as `Transformer.decode` with a cache.

Keys and values of all beams stand in one store that is never reordered: a beam knows in which slots its own past is,
and sees those alone. Knows nothing of searching.
"""

import math

import torch
from torch import Tensor

from glassformer.nn.positions import RotaryPositions, Rotation, rotate

from .encoder import encode
from .weights import TransformerWeights

FIRST_PLACES = 16  # target places that a store has room for at first; it doubles when it is full


class FastDecoder:
    """A batch of sentences being continued: one row a sentence at first, then equally many rows (beams) to each."""

    def __init__(self, weights: TransformerWeights, src: Tensor) -> None:
        config = weights.config
        self.weights = weights
        self.n_sentences, self.n_heads, self.head_width = src.size(0), config.n_heads, config.head_width
        self.length = 0  # target places already decoded
        self.used = 0  # slots of the store already written: a place takes one for each beam
        self.sight: Tensor | None = None  # [B * W, slots]: 0 where a row's own past is, else -inf; None: all is its own
        self.fresh = src.new_empty(0)  # [B * W, W]: what each row sees of the slots of one new place
        real = src != config.pad_id  # [B, S]
        whole = bool(real.all())
        self.source_sight = None if whole else hide(real)  # [B, S]
        memory = encode(weights, src, None if whole else real[:, None, None, :])  # [B * S, D]
        shape = (self.n_sentences, src.size(1), len(weights.decoder), 2, self.n_heads, self.head_width)
        cross = weights.cross_keys_values(memory).view(shape).permute(2, 3, 0, 4, 1, 5)  # [L, 2, B, H, S, E]
        self.cross = cross.contiguous()
        self.source = self._keys_and_values(self.cross)
        self.source_bias: Tensor | None = None  # [B * H, W, S]
        self.store = memory.new_empty(len(weights.decoder), 2, self.n_sentences, self.n_heads, 0, self.head_width)

    def advance(self, tokens: Tensor, parents: Tensor | None) -> Tensor:
        """Row i goes on from what was row `parents[i]` (None: from itself) with `tokens[i]`; both [B * W].

        Returns what the projection turns into logits: [B * W, D].
        """
        width = tokens.size(0) // self.n_sentences
        self._inherit(width, parents)
        self._make_room(width)
        end = self.used + width
        # Views for all layers at once: made layer by layer they would cost a small model as much as its products.
        room = self.store[:, :, :, :, self.used : end].unbind()  # L of [2, B, H, W, E]
        past = self._keys_and_values(self.store[..., :end, :])
        self_bias = self._for_heads(self.sight, width)  # [B * H, W, slots]
        if self.source_bias is None or self.source_bias.size(1) != width:
            self.source_bias = self._for_heads(self.source_sight, width)  # [B * H, W, S]
        x, rotation = self._embed(tokens)  # [B * W, D]
        pre_norm = self.weights.pre_norm
        for i, (attention, cross, feed_forward) in enumerate(self.weights.decoder):
            queries = self._remember(attention.qkv(attention.norm(x) if pre_norm else x), room[i], rotation)
            seen = attention.out(self._attend(queries, *past[i], self_bias)).add_(x)  # [B * W, D]
            x = seen if pre_norm else attention.norm(seen)
            queries = self._split(cross.query(cross.norm(x) if pre_norm else x), width)
            seen = cross.out(self._attend(queries, *self.source[i], self.source_bias)).add_(x)  # [B * W, D]
            x = seen if pre_norm else cross.norm(seen)
            thought = feed_forward.run(feed_forward.norm(x) if pre_norm else x).add_(x)  # [B * W, D]
            x = thought if pre_norm else feed_forward.norm(thought)
        self.length += 1
        self.used = end
        return self.weights.decoder_norm(x)

    def keep(self, rows: Tensor) -> None:
        """Keep these sentences (their numbers), with all their rows, in this order; forget the others."""
        if self.sight is not None:
            self.sight = self.sight.unflatten(0, (self.n_sentences, -1)).index_select(0, rows).flatten(0, 1)
        if self.source_sight is not None:
            self.source_sight = self.source_sight.index_select(0, rows)
        self.cross = self.cross.index_select(2, rows)
        self.store = self.store[..., : self.used, :].index_select(2, rows)
        self.n_sentences = rows.size(0)
        self.source, self.source_bias = self._keys_and_values(self.cross), None

    def _inherit(self, width: int, parents: Tensor | None) -> None:
        """Each row sees what its parent saw, and of the slots about to be written its own."""
        if width == 1 and self.sight is None:
            return  # one row a sentence: all that is in its store is its own past
        n_rows = self.n_sentences * width
        sight = self.store.new_zeros(self.n_sentences, self.used) if self.sight is None else self.sight
        if parents is not None:
            sight = sight.index_select(0, parents)  # [B * W, slots]
        if self.fresh.shape != (n_rows, width):
            own = torch.eye(width, dtype=torch.bool, device=sight.device)  # [W, W]
            self.fresh = hide(own).repeat(self.n_sentences, 1)  # [B * W, W]
        self.sight = torch.cat((sight, self.fresh), dim=1)  # [B * W, slots and W more]

    def _make_room(self, width: int) -> None:
        """See to it that the store has slots for one more place."""
        if self.used + width <= self.store.size(4):
            return
        capacity = max(2 * self.store.size(4), self.used + FIRST_PLACES * width)
        larger = self.store.new_empty(*self.store.shape[:4], capacity, self.head_width)  # [L, 2, B, H, slots, E]
        larger[..., : self.used, :] = self.store[..., : self.used, :]
        self.store = larger

    def _keys_and_values(self, store: Tensor) -> list[tuple[Tensor, Tensor]]:
        """[L, 2, B, H, K, E] -> of each layer the keys, turned, [B * H, E, K], and the values [B * H, K, E]."""
        keys, values = store.flatten(2, 3).unbind(1)  # [L, B * H, K, E] each
        return list(zip(keys.transpose(2, 3).unbind(), values.unbind(), strict=True))

    def _for_heads(self, sight: Tensor | None, width: int) -> Tensor | None:
        """What is added to the scores of every head: [B * W, K], or [B, K] for all beams alike -> [B * H, W, K]."""
        if sight is None:
            return None
        by_sentence = sight.view(self.n_sentences, 1, -1, sight.size(-1))  # [B, 1, W or 1, K]
        return by_sentence.expand(-1, self.n_heads, width, -1).reshape(-1, width, sight.size(-1))  # [B * H, W, K]

    def _embed(self, tokens: Tensor) -> tuple[Tensor, Rotation | None]:
        """tokens [N] -> vectors [N, D], and by how much heads turn if positions are rotary."""
        weights = self.weights
        x = torch.embedding(weights.target_table, tokens)  # [N, D]
        if isinstance(weights.target_positions, RotaryPositions):
            return x * weights.target_scale, weights.target_positions(1, self.length)
        return torch.add(weights.target_positions(1, self.length), x, alpha=weights.target_scale), None

    def _remember(self, qkv: Tensor, room: Tensor, rotation: Rotation | None) -> Tensor:
        """Put the keys and values of the newest place into their room [2, B, H, W, E]; give the queries [B * H, W, E].

        qkv [B * W, 3 * D].
        """
        width = room.size(3)
        heads = qkv.view(self.n_sentences, width, 3, self.n_heads, self.head_width).permute(2, 0, 3, 1, 4)
        queries = heads[0]  # [B, H, W, E]; heads [3, B, H, W, E]
        if rotation is None:
            room.copy_(heads[1:])
        else:
            queries, room[0] = rotate(heads[:2], rotation)
            room[1] = heads[2]
        return queries.reshape(-1, width, self.head_width)  # [B * H, W, E]

    def _split(self, rows: Tensor, width: int) -> Tensor:
        """Beams as query places of their sentence: [B * W, D] -> [B * H, W, E]."""
        if width == 1:
            return rows.view(-1, 1, self.head_width)  # [B * H, 1, E]
        heads = rows.view(self.n_sentences, width, self.n_heads, self.head_width).transpose(1, 2)  # [B, H, W, E]
        return heads.reshape(-1, width, self.head_width)  # [B * H, W, E]

    def _attend(self, queries: Tensor, keys: Tensor, values: Tensor, bias: Tensor | None) -> Tensor:
        """queries [B * H, W, E], scaled; keys [B * H, E, K]; values [B * H, K, E]; bias [B * H, W, K]. -> [B * W, D]"""
        scores = torch.bmm(queries, keys) if bias is None else torch.baddbmm(bias, queries, keys)  # [B * H, W, K]
        mixture = torch.bmm(torch.softmax(scores, dim=-1), values)  # [B * H, W, E]
        width, d_model = queries.size(1), self.n_heads * self.head_width
        if width == 1:
            return mixture.view(-1, d_model)  # [B, D]
        mixture = mixture.view(self.n_sentences, self.n_heads, width, self.head_width)  # [B, H, W, E]
        return mixture.transpose(1, 2).reshape(-1, d_model)  # [B * W, D]


def hide(visible: Tensor) -> Tensor:
    """What is added to scores: 0 where visible, -inf elsewhere."""
    return torch.zeros(visible.shape, device=visible.device).masked_fill_(~visible, -math.inf)
