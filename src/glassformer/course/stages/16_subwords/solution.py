"""Stage 16: subwords by byte-pair encoding. Paper: section 5.1; Sennrich, Haddow and Birch (2016)."""

import unicodedata
from collections import Counter

END = "</w>"  # where a word ends: without it, nobody could put the spaces back


def split(word: str) -> list[str]:
    """Cut a word into its characters, and the mark."""
    return [*word, END]


def merge(symbols: list[str], pair: tuple[str, str]) -> list[str]:
    """Put this pair together wherever it stands, from the left."""
    merged: list[str] = []
    place = 0
    while place < len(symbols):
        if tuple(symbols[place : place + 2]) == pair:
            merged.append(symbols[place] + symbols[place + 1])
            place += 2
        else:
            merged.append(symbols[place])
            place += 1
    return merged


def learn_merges(counts: dict[str, int], n: int) -> list[tuple[str, str]]:
    """Merge the most frequent pair of neighbours, n times over; of equals, the first in the alphabet."""
    words = [(split(word), count) for word, count in counts.items()]
    merges: list[tuple[str, str]] = []
    for _ in range(n):
        pairs: Counter[tuple[str, str]] = Counter()
        for symbols, count in words:
            for pair in zip(symbols, symbols[1:], strict=False):
                pairs[pair] += count
        if not pairs:  # every word is one symbol
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        words = [(merge(symbols, best), count) for symbols, count in words]
    return merges


def encode(word: str, merges: list[tuple[str, str]]) -> list[str]:
    """Do to a word what was done to the words it was learned from, in the same order."""
    symbols = split(word)
    for pair in merges:
        symbols = merge(symbols, pair)
    return symbols


def decode(pieces: list[str]) -> str:
    """Put the pieces of a sentence together again."""
    return "".join(pieces).replace(END, " ").strip()


def on_circle(piece: str) -> str:
    """Set a piece that begins with a sign on a dotted circle, so that it can be read."""
    begins_with_sign = unicodedata.category(piece[0]).startswith("M")
    return "◌" + piece if begins_with_sign else piece
