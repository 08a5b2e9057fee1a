"""Stage 00: an encoder-decoder in outline, in plain Python. Paper: section 3, figure 1.

Nothing in here attends to anything: placeholders stand where attention will be.
"""

Words = list[list[float]]  # a sentence: a list of words, each a list of numbers


class FeedForward:
    """A placeholder: every number x of every word becomes max(0, weight * x + bias). It looks at one word at a time."""

    def __init__(self) -> None:
        self.weight = 1.0
        self.bias = 0.0

    def run(self, words: Words) -> Words:
        return [[max(0.0, self.weight * x + self.bias) for x in word] for word in words]


def listen(words: Words, memory: Words) -> Words:
    """Add the average word of the memory to every word: the crudest way to hear another sentence."""
    average = [sum(column) / len(memory) for column in zip(*memory, strict=True)]
    return [[x + heard for x, heard in zip(word, average, strict=True)] for word in words]


class Encoder:
    """One link of the encoder's chain: attention, then feed-forward."""

    def __init__(self) -> None:
        self.attention = FeedForward()  # a placeholder
        self.feed_forward = FeedForward()
        self.next: Encoder | None = None

    def run(self, words: Words) -> Words:
        """The work of this one link."""
        words = self.attention.run(words)
        return self.feed_forward.run(words)


class Decoder:
    """One link of the decoder's chain: attention to itself, then to the memory, then feed-forward."""

    def __init__(self) -> None:
        self.attention = FeedForward()  # a placeholder
        self.cross_attention = FeedForward()  # a placeholder
        self.feed_forward = FeedForward()
        self.next: Decoder | None = None

    def run(self, words: Words, memory: Words) -> Words:
        """The work of this one link."""
        words = self.attention.run(words)
        words = self.cross_attention.run(listen(words, memory))
        return self.feed_forward.run(words)


def chain(kind: type, n_links: int):
    """Make `n_links` new links of this kind, each knowing the next, and return the first."""
    first = last = kind()
    for _ in range(n_links - 1):
        last.next = kind()
        last = last.next
    return first


class Transformer:
    """A chain of encoders and a chain of decoders."""

    def __init__(self, n_links: int = 6) -> None:
        self.encoder = chain(Encoder, n_links)
        self.decoder = chain(Decoder, n_links)

    def encode(self, source: Words) -> Words:
        """The source, through all encoders one after the other: the memory."""
        link = self.encoder
        while link is not None:
            source = link.run(source)
            link = link.next
        return source

    def decode(self, target: Words, memory: Words) -> Words:
        """The target, through all decoders one after the other; every one of them hears the same memory."""
        link = self.decoder
        while link is not None:
            target = link.run(target, memory)
            link = link.next
        return target

    def run(self, source: Words, target: Words) -> Words:
        """Both chains."""
        return self.decode(target, self.encode(source))
