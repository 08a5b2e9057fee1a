"""Words as texts of symbols with spaces between, and a regular expression that respects their borders, as Sennrich did."""

import re
import unicodedata
from collections import defaultdict

END = "</w>"


def learn_merges(counts: dict[str, int], n: int) -> list[tuple[str, str]]:
    """Learn n merges."""
    words = {" ".join(word) + " " + END: count for word, count in counts.items()}
    merges: list[tuple[str, str]] = []
    while len(merges) < n:
        pairs: defaultdict[tuple[str, str], int] = defaultdict(int)
        for word, count in words.items():
            symbols = word.split()
            for left, right in zip(symbols[:-1], symbols[1:], strict=True):
                pairs[left, right] += count
        if not pairs:
            break
        merges.append(sorted(pairs.items(), key=lambda item: (-item[1], item[0]))[0][0])
        words = {glue(word, merges[-1]): count for word, count in words.items()}
    return merges


def glue(word: str, pair: tuple[str, str]) -> str:
    """Merge whole symbols only: no other character may touch the pair."""
    return re.sub(r"(?<!\S)" + re.escape(" ".join(pair)) + r"(?!\S)", lambda _: "".join(pair), word)


def encode(word: str, merges: list[tuple[str, str]]) -> list[str]:
    """Cut a word."""
    text = " ".join(word) + " " + END
    for pair in merges:
        text = glue(text, pair)
    return text.split()


def decode(pieces: list[str]) -> str:
    """Turn pieces into text."""
    return " ".join("".join(pieces).split(END)[:-1])


def on_circle(piece: str) -> str:
    """Show a piece."""
    return ("◌" if unicodedata.category(piece[0])[0] == "M" else "") + piece
