"""Looks at the links, the chains, and what flows through them. Oracle: the same sums in one flat loop. No torch."""

import random
from collections.abc import Iterator, Sequence
from typing import Any

from glassformer.course.observation import Observation
from glassformer.course.universe import Subject

ENCODER = ("attention", "feed_forward")
DECODER = ("attention", "cross_attention", "feed_forward")
Words = list[list[float]]
Numbers = Sequence[tuple[float, float]]  # weight and bias of one placeholder after the other


def observe(my: Subject) -> Iterator[Observation]:
    """First one link of each kind, then chains, then both chains together."""
    encoder = my.part("Encoder")()
    set_numbers(my, [encoder], ENCODER, [(2, 1), (3, -4)])
    yield Observation(
        "one encoder, given the word [1, 2]", encoder.run([[1.0, 2.0]]), [[5.0, 11.0]],
        "attention is 2 x + 1, so [3, 5]; feed_forward is 3 x - 4 of that, so [5, 11].",
    )  # fmt: skip

    decoder = my.part("Decoder")()
    set_numbers(my, [decoder], DECODER, [(3, 1), (2, -3), (1, -10)])
    memory = [[4.0, 0.0], [2.0, 6.0], [0.0, 3.0]]
    yield Observation(
        "one decoder, given the word [1, 2] and a memory whose average is [2, 3]", decoder.run([[1.0, 2.0]], memory),
        [[0.0, 7.0]],
        "attention: 3 x + 1 = [4, 7]; listen: [6, 10]; cross_attention: 2 x - 3 = [9, 17]; then x - 10, or 0.",
    )  # fmt: skip

    chain = my.part("chain")
    for name, n_links in (("Encoder", 4), ("Decoder", 5)):
        links = along(my, chain(my.part(name), n_links))
        yield Observation(
            f"how many links chain({name}, {n_links}) has, from the first along every next", len(links), n_links,
            f"After the last link, next is None. (Counting stops at {MOST}.)",
        )  # fmt: skip
        kinds = [type(link).__name__ for link in links]
        yield Observation(f"what chain({name}, {n_links}) is made of", kinds, [my.part(name).__name__] * n_links)

    model = my.part("Transformer")()
    encoders, decoders = along(my, my.inside(model, "encoder")), along(my, my.inside(model, "decoder"))
    yield Observation(
        "how many encoders and decoders a Transformer() has", [len(encoders), len(decoders)], [6, 6],
        "Six of each, if nobody asks for another number.",
    )  # fmt: skip

    if len(encoders) != 6 or len(decoders) != 6:
        return  # a chain that bites its own tail would be walked for ever

    draw = random.Random(0)
    of_encoders, of_decoders = numbers(draw, 6 * len(ENCODER)), numbers(draw, 6 * len(DECODER))
    set_numbers(my, encoders, ENCODER, of_encoders)
    set_numbers(my, decoders, DECODER, of_decoders)
    source, target = [[1.0, 3.0], [2.0, 0.5], [0.2, 4.0]], [[2.5, 1.0], [0.7, 3.5]]
    yield Observation(
        "the memory: three source words through six encoders", model.encode(source), through(source, of_encoders),
        "The first encoder gets the source; every other one gets what the one before it gave.",
    )  # fmt: skip
    yield Observation(
        "two target words through six decoders that all hear one memory", model.decode(target, memory),
        heard(target, memory, of_decoders),
        "Each decoder is called with the words of the one before it, and the memory.",
    )  # fmt: skip
    yield Observation(
        "the whole: source and target in, two words out", model.run(source, target),
        heard(target, through(source, of_encoders), of_decoders),
        "The source goes through all encoders; what comes out is the memory for every decoder.",
    )  # fmt: skip


MOST = 20


def along(my: Subject, first: Any) -> list[Any]:
    """The links of a chain; of an endless one, the first few."""
    links: list[Any] = []
    while first is not None and len(links) < MOST:
        links.append(first)
        first = my.inside(first, "next")
    return links


def set_numbers(my: Subject, links: Sequence[Any], names: Sequence[str], to: Numbers) -> None:
    """Give every placeholder along the chain numbers of its own."""
    holders = [my.inside(link, name) for link in links for name in names]
    for holder, (weight, bias) in zip(holders, to, strict=False):
        holder.weight, holder.bias = weight, bias


def numbers(draw: random.Random, n: int) -> list[tuple[float, float]]:
    """Weights around 1, biases around 0."""
    return [(draw.uniform(0.8, 1.2), draw.uniform(-0.3, 0.3)) for _ in range(n)]


def through(words: Words, placeholders: Numbers) -> Words:
    """All placeholders in one row, without any link."""
    for weight, bias in placeholders:
        words = [[max(0.0, weight * x + bias) for x in word] for word in words]
    return words


def heard(words: Words, memory: Words, placeholders: Numbers) -> Words:
    """The same for decoders: the memory's average is added before every second placeholder of three."""
    n = len(memory)
    average = [sum(word[place] for word in memory) / n for place in range(len(memory[0]))]
    for number, placeholder in enumerate(placeholders):
        if number % 3 == 1:
            words = [[word[place] + average[place] for place in range(len(word))] for word in words]
        words = through(words, [placeholder])
    return words
