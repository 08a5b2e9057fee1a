"""All links in a list first; then each is told its neighbour."""

from dataclasses import dataclass, field
from itertools import pairwise


@dataclass
class FeedForward:
    """As given, as a dataclass."""

    weight: float = 1.0
    bias: float = 0.0

    def run(self, words):
        return [[max(0.0, self.bias + x * self.weight) for x in word] for word in words]


@dataclass
class Encoder:
    """Two blocks; `object` as the type of next, for a link knows nothing about its neighbour."""

    attention: FeedForward = field(default_factory=FeedForward)
    feed_forward: FeedForward = field(default_factory=FeedForward)
    next: object = None

    def run(self, words):
        for block in (self.attention, self.feed_forward):
            words = block.run(words)
        return words


@dataclass
class Decoder:
    """Three blocks."""

    attention: FeedForward = field(default_factory=FeedForward)
    cross_attention: FeedForward = field(default_factory=FeedForward)
    feed_forward: FeedForward = field(default_factory=FeedForward)
    next: object = None

    def run(self, words, memory):
        words = self.attention.run(words)
        means = [sum(column) / len(column) for column in zip(*memory, strict=True)]
        words = [[x + mean for x, mean in zip(word, means, strict=True)] for word in words]
        return self.feed_forward.run(self.cross_attention.run(words))


def links(first):
    """The chain as a list again."""
    while first is not None:
        yield first
        first = first.next


def chain(kind, n_links):
    """All links, then the ties."""
    made = [kind() for _ in range(n_links)]
    for one, other in pairwise(made):
        one.next = other
    return made[0]


class Transformer:
    """Two chains."""

    def __init__(self, n_links=6):
        self.encoder = chain(Encoder, n_links)
        self.decoder = chain(Decoder, n_links)

    def encode(self, source):
        for encoder in links(self.encoder):
            source = encoder.run(source)
        return source

    def decode(self, target, memory):
        for decoder in links(self.decoder):
            target = decoder.run(target, memory)
        return target

    def run(self, source, target):
        memory = self.encode(source)
        return self.decode(target, memory)
