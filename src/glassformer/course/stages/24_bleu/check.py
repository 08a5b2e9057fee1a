"""Looks at BLEU, from single sentences to a corpus. Oracle: sacrebleu on text that is cut into words already."""

from collections import Counter
from collections.abc import Iterator

from sacrebleu.metrics.bleu import BLEU

from glassformer.course.observation import Observation
from glassformer.course.universe import Subject

BARK = "Bark is very cute and he is a dog"
CORPUS = [
    ("Bark is very cute and he is a cat", BARK),
    ("Pramod loves a pizza", "Pramod loves pizza very much"),
    ("I like like pizza and pizza a lot", "I like pizza and I like it a lot"),
    ("he is a dog he is a dog", "he is a very good dog"),
]


def observe(my: Subject) -> Iterator[Observation]:
    """Each case brings one thing more: counting, clipping, the mean, brevity, the corpus, nothing at all."""
    ngrams, bleu = my.part("ngrams"), my.part("bleu")

    def score(pairs: list[tuple[str, str]]) -> object:
        return bleu([ours.split() for ours, _ in pairs], [theirs.split() for _, theirs in pairs])

    words = ["he", "is", "he", "is", "a", "dog"]
    yield Observation(
        "the bigrams of 'he is he is a dog'", dict(ngrams(words, 2)),
        dict(Counter({("he", "is"): 2, ("is", "he"): 1, ("is", "a"): 1, ("a", "dog"): 1})),
        "Five neighbours, from the first word to the last but one; 'he is' stands there twice.",
    )  # fmt: skip
    yield Observation("the 4-grams of three words", dict(ngrams(words[:3], 4)), {}, "There are none, and no error.")

    yield Observation("a perfect translation", score([(BARK, BARK)]), 100.0, "All agree, so BLEU is 100.")
    for about, pairs, note in (
        ("one wrong word of nine", [("Bark is very cute and she is a dog", BARK)],
         "p1 8/9, p2 6/8, p3 4/7, p4 2/6: their product, and of that the fourth root."),
        ("'he is a dog' said twice, for a reference that says it once", [("he is a dog he is a dog", "he is a dog")],
         "Each n-gram counts at most as often as the reference has it: p1 is 4/8."),
        ("a translation longer than its reference", [(BARK + " and he is very very cute", BARK)],
         "Longer costs precision already: the brevity penalty is 1."),
        ("a translation shorter than its reference", [("Bark is very cute and he", BARK)],
         "All words agree, but 6 of 9: the penalty is exp(1 - 9/6) = 0.607."),
        ("a corpus of four sentences", CORPUS, "Add up the counts of all sentences first, and divide once."),
        ("a long sentence and a short one", [(BARK + " and very cute", BARK), ("he is very cute", "he is very cute and")],
         "One brevity penalty for the whole corpus: 16 words against 14."),
        ("a word that another sentence's reference has",
         [("Bark is very cute and he is a dog dog", BARK + " too"), ("he is a very good one", "he is a very good dog")],
         "A translation is held against its own reference only."),
        ("a corpus with an empty translation", [("", "I like pizza"), *CORPUS], "It adds nothing, and its reference counts."),
        ("no 4-gram in common", [("he is cute and very a dog", BARK)], "One p is 0, so the product is 0: not an error."),
        ("nothing translated", [("", BARK)], "0, and no division by zero."),
    ):  # fmt: skip
        yield Observation(f"BLEU of {about}", score(pairs), by_sacrebleu(pairs), note)


def by_sacrebleu(pairs: list[tuple[str, str]]) -> float:
    """The reference implementation, cutting at spaces and smoothing nothing."""
    metric = BLEU(tokenize="none", smooth_method="none", force=True)
    return float(metric.corpus_score([ours for ours, _ in pairs], [[theirs for _, theirs in pairs]]).score)
