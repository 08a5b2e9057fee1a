"""Clips by crossing each matched n-gram out of a copy of the reference; plain dictionaries and lists."""

import math


def ngrams(words: list[str], n: int) -> dict[tuple[str, ...], int]:
    """Counted by hand."""
    counts: dict[tuple[str, ...], int] = {}
    for start in range(len(words) - n + 1):
        gram = tuple(words[start : start + n])
        counts[gram] = counts.get(gram, 0) + 1
    return counts


def bleu(translations: list[list[str]], references: list[list[str]]) -> float:
    """Sums of logs, with minus infinity for nothing."""
    logs = 0.0
    for n in range(1, 5):
        right = said = 0
        for translation, reference in zip(translations, references, strict=True):
            left = ngrams(reference, n)
            for start in range(len(translation) - n + 1):
                gram = tuple(translation[start : start + n])
                said += 1
                if left.get(gram, 0) > 0:
                    left[gram] -= 1
                    right += 1
        logs += math.log(right / said) / 4 if right else -math.inf
    c, r = sum(map(len, translations)), sum(map(len, references))
    return 0.0 if c == 0 else 100 * math.exp(min(0.0, 1 - r / c) + logs)
