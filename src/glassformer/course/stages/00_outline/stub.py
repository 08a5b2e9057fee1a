"""Stage 00: an encoder-decoder in outline, in plain Python. Paper: section 3, figure 1.

Nothing in here attends to anything: placeholders stand where attention will be. `FeedForward` and `listen` are given.
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
        """The work of this one link: first its attention, then its feed-forward."""
        # Your code here
        raise NotImplementedError


class Decoder:
    """One link of the decoder's chain: attention to itself, then to the memory, then feed-forward."""

    def __init__(self) -> None:
        # Your code here: attention, cross_attention and feed_forward, and a `next` that knows nobody yet
        raise NotImplementedError

    def run(self, words: Words, memory: Words) -> Words:
        """The work of this one link: attention; then listen to the memory, and cross_attention; then feed-forward."""
        # Your code here
        raise NotImplementedError


def chain(kind: type, n_links: int):
    """Make `n_links` new links of this kind, each knowing the next, and return the first.

    chain(Encoder, 3) gives an Encoder e whose e.next.next is the third and last: e.next.next.next is None. To make an
    object, a class is called: kind().

    https://docs.python.org/3/tutorial/classes.html
    """
    # Your code here
    raise NotImplementedError


class Transformer:
    """A chain of encoders and a chain of decoders."""

    def __init__(self, n_links: int = 6) -> None:
        """Two chains, kept as `encoder` and `decoder`."""
        # Your code here
        raise NotImplementedError

    def encode(self, source: Words) -> Words:
        """The source, through all encoders one after the other: the memory."""
        # Your code here
        raise NotImplementedError

    def decode(self, target: Words, memory: Words) -> Words:
        """The target, through all decoders one after the other; every one of them hears the same memory."""
        # Your code here
        raise NotImplementedError

    def run(self, source: Words, target: Words) -> Words:
        """Both chains: what comes out of the last decoder."""
        # Your code here
        raise NotImplementedError
