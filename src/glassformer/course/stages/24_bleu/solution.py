"""Stage 24: BLEU, how much of a corpus of translations the references agree with. Papineni et al. (2002)."""

import math
from collections import Counter


def ngrams(words: list[str], n: int) -> Counter[tuple[str, ...]]:
    """How often each run of n neighbouring words occurs."""
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def bleu(translations: list[list[str]], references: list[list[str]]) -> float:
    """Corpus BLEU from 0 to 100, one reference to each translation."""
    matched, made = [0] * 4, [0] * 4
    for translation, reference in zip(translations, references, strict=True):
        for n in range(1, 5):
            ours, theirs = ngrams(translation, n), ngrams(reference, n)
            matched[n - 1] += sum(min(count, theirs[gram]) for gram, count in ours.items())
            made[n - 1] += sum(ours.values())
    if min(matched) == 0:
        return 0.0
    precision = math.exp(sum(math.log(m / k) for m, k in zip(matched, made, strict=True)) / 4)
    n_ours, n_theirs = sum(map(len, translations)), sum(map(len, references))
    brevity = 1.0 if n_ours >= n_theirs else math.exp(1 - n_theirs / n_ours)
    return 100 * brevity * precision
