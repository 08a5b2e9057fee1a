"""One n after the other, each over the whole corpus; matches by the intersection of Counters."""

from collections import Counter
from math import exp


def ngrams(words: list[str], n: int) -> Counter[tuple[str, ...]]:
    """By shifted copies of the sentence."""
    return Counter(zip(*(words[shift:] for shift in range(n)), strict=False))


def bleu(translations: list[list[str]], references: list[list[str]]) -> float:
    """The product first, its root at the end."""
    product = 1.0
    for n in (1, 2, 3, 4):
        pairs = [(ngrams(t, n), ngrams(r, n)) for t, r in zip(translations, references, strict=True)]
        right = sum((t & r).total() for t, r in pairs)
        said = sum(t.total() for t, _ in pairs)
        product *= right / said if said else 0.0
    c, r = sum(len(t) for t in translations), sum(len(r) for r in references)
    return 100.0 * product**0.25 * (exp(min(0.0, 1 - r / c)) if c else 0.0)
