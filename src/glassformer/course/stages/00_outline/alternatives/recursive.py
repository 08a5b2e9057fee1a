"""Chains made and walked by recursion."""

Words = list[list[float]]


class FeedForward:
    """As given."""

    def __init__(self):
        self.weight, self.bias = 1.0, 0.0

    def run(self, words):
        return [[max(0.0, self.weight * x + self.bias) for x in word] for word in words]


def listen(words, memory):
    """As given."""
    average = [sum(column) / len(memory) for column in zip(*memory, strict=True)]
    return [[x + heard for x, heard in zip(word, average, strict=True)] for word in words]


class Encoder:
    """Two blocks."""

    def __init__(self):
        self.attention, self.feed_forward, self.next = FeedForward(), FeedForward(), None

    def run(self, words):
        return self.feed_forward.run(self.attention.run(words))


class Decoder(Encoder):
    """Three blocks, two of them an encoder's."""

    def __init__(self):
        super().__init__()
        self.cross_attention = FeedForward()

    def run(self, words, memory):
        asked = listen(self.attention.run(words), memory)
        return self.feed_forward.run(self.cross_attention.run(asked))


def chain(kind, n_links):
    """The last link first: each is made knowing its next."""
    if n_links == 0:
        return None
    link = kind()
    link.next = chain(kind, n_links - 1)
    return link


def walk(link, words, *more):
    """This link, then the rest of the chain."""
    return words if link is None else walk(link.next, link.run(words, *more), *more)


class Transformer:
    """Two chains."""

    def __init__(self, n_links=6):
        self.encoder, self.decoder = chain(Encoder, n_links), chain(Decoder, n_links)

    def encode(self, source):
        return walk(self.encoder, source)

    def decode(self, target, memory):
        return walk(self.decoder, target, memory)

    def run(self, source, target):
        return self.decode(target, self.encode(source))
