"""The embedded corpus: the grammar's sentences and the hand-written ones, split for training and for measuring.

What is held out are combinations of words, not only sentences. A combination (see combinations.py) that is held out
never stands in training: no training sentence has any form of both its words, in whatever roles. So "Sita ate the
mangoes" is held out only if no training sentence has both a form of "eat" and a form of "mango"; yet each word form in
it, English and Hindi, is seen in training, with other words. The same holds for `valid`, with combinations of its own.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .chance import Pick
from .combinations import Combination, combinations, content_words, words
from .grammar import Derivation, everything
from .lexicon import rows
from .variants import all_variants, one_variant, plain

N_TRAIN = 27_000  # of the grammar; the hand-written sentences come on top
N_HELD_OUT, N_VALID, N_EVERYDAY_HELD_OUT = 500, 300, 40
HELD_OUT_COMBINATIONS, VALID_COMBINATIONS = 160, 100
SELDOM = 5  # a combination with fewer sentences is not held out
MOST_OF_A_WORD = 0.15  # of a word's combinations, the share that may be held out: the others must teach it
MANY_OF_ONE = 6  # sentences of one combination in a part, at most

# The sentences of the articles that this project follows.
ARTICLES = ("I like pizza.", "Pramod loves pizza.", "Who loves pizza?", "Bark is very cute and he is a dog.")


class Pair(NamedTuple):
    """A sentence and its translation."""

    english: str
    hindi: str


class DemoCorpus(NamedTuple):
    """The parts of the corpus. No sentence stands in two of them, in whatever variant; no line stands twice in one."""

    train: tuple[Pair, ...]
    valid: tuple[Pair, ...]
    held_out: tuple[Pair, ...]
    everyday_held_out: tuple[Pair, ...]


class Choice(NamedTuple):
    """The combinations that training must not see."""

    held_out: tuple[Combination, ...]
    valid: tuple[Combination, ...]


def everyday() -> tuple[Pair, ...]:
    """Return the hand-written sentences."""
    return tuple(Pair(row["english"], row["hindi"]) for row in rows("everyday.tsv"))


def articles_sentences() -> tuple[Pair, ...]:
    """Return the articles' own sentences with their translations. All are in the training part."""
    by_hand = {pair.english: pair for pair in everyday()}
    return tuple(by_hand[line] for line in ARTICLES)


def demo_corpus(seed: int = 0) -> DemoCorpus:
    """Make the corpus. A pure function of the seed, which chooses what is held out and what is trained on."""
    pick = Pick(f"demo corpus {seed}")
    by_hand = everyday()
    chosen = choose_combinations(seed)
    train, valid, held_out = _sorted_out(chosen, written={plain(pair.english) for pair in by_hand})
    taught = [Pair(made.english, made.hindi) for made in pick.shuffled(train)[:N_TRAIN]]
    forms = word_forms([*taught, *by_hand])
    everyday_held_out = _held_back(pick.shuffled(by_hand), forms)
    train_pairs = [one_variant(*pair, pick) for pair in taught]
    train_pairs += [form for pair in by_hand if pair not in everyday_held_out for form in all_variants(*pair)]
    return DemoCorpus(
        train=tuple(Pair(*pair) for pair in pick.shuffled(train_pairs)),
        valid=_measured(pick.shuffled(valid), chosen.valid, forms, N_VALID),
        held_out=_measured(pick.shuffled(held_out), chosen.held_out, forms, N_HELD_OUT),
        everyday_held_out=everyday_held_out,
    )


def choose_combinations(seed: int) -> Choice:
    """Choose what to hold out: of no word too much, and nothing that stands in a hand-written sentence."""
    often = Counter(bond for made in everything() for bond in set(combinations(made.meaning)))
    of_word = Counter(word for bond in often for word in bond)
    free = Counter({word: int(number * MOST_OF_A_WORD) for word, number in of_word.items()})
    written = [content_words(pair.english) for pair in everyday()]
    chosen: list[Combination] = []
    for bond in Pick(f"combinations {seed}").shuffled(sorted(bond for bond, n in often.items() if n >= SELDOM)):
        if min(free[word] for word in bond) > 0 and not any(set(bond) <= line for line in written):
            free.subtract(bond)
            chosen.append(bond)
    n, m = HELD_OUT_COMBINATIONS, VALID_COMBINATIONS
    return Choice(held_out=tuple(chosen[:n]), valid=tuple(chosen[n : n + m]))


def _sorted_out(chosen: Choice, written: set[str]) -> tuple[list[Derivation], list[Derivation], list[Derivation]]:
    """Sort the grammar's sentences into those for train, valid and held_out; those written by hand are left out."""
    together = defaultdict(set)
    for one, other in chosen.held_out + chosen.valid:
        together[one].add(other)
    held_bonds, valid_bonds = set(chosen.held_out), set(chosen.valid)
    train, valid, held_out = [], [], []
    for made in everything():
        present = content_words(made.english)
        if not any(together[word] & present for word in present if word in together):
            if plain(made.english) not in written:
                train.append(made)
        else:
            bonds = set(combinations(made.meaning))
            if bonds & held_bonds:
                held_out.append(made)
            elif bonds & valid_bonds:
                valid.append(made)
    return train, valid, held_out


def word_forms(pairs: Iterable[Pair]) -> Counter[str]:
    """Count the word forms of both sides. A Hindi word ends at a space or a mark."""
    english, hindi = (" ".join(side) for side in zip(*pairs, strict=True))
    return Counter(words(english) + hindi.translate(str.maketrans("।?,", "   ")).split())


def _held_back(by_hand: Sequence[Pair], forms: Counter[str]) -> tuple[Pair, ...]:
    """Choose hand-written sentences of three words or more, and take their words out of the count.

    Each word form must be left at least twice: in two other places, training still shows it.
    """
    kept: list[Pair] = []
    for pair in by_hand:
        mine = word_forms([pair])
        long_enough = pair.english not in ARTICLES and len(words(pair.english)) > 2
        if long_enough and all(forms[form] > n + 1 for form, n in mine.items()):
            forms.subtract(mine)
            kept.append(pair)
        if len(kept) == N_EVERYDAY_HELD_OUT:
            return tuple(kept)
    raise AssertionError(f"only {len(kept)} hand-written sentences can be held out")


def _measured(
    candidates: Iterable[Derivation], chosen: Sequence[Combination], forms: Counter[str], number: int
) -> tuple[Pair, ...]:
    """Take sentences whose every word form was taught, not too many of one combination."""
    taken: list[Pair] = []
    used = Counter[Combination]()
    for made in candidates:
        pair = Pair(made.english, made.hindi)
        bonds = set(combinations(made.meaning)) & set(chosen)
        if max(used[bond] for bond in bonds) < MANY_OF_ONE and all(forms[form] for form in word_forms([pair])):
            used.update(bonds)
            taken.append(pair)
        if len(taken) == number:
            return tuple(taken)
    raise AssertionError(f"only {len(taken)} of {number} sentences can be held out")
