"""Encodes as GPT-2 does: look for the pair of the lowest rank, merge it, look again. Merges change words in place."""

import unicodedata

END = "</w>"


def pairs_of(symbols: tuple[str, ...]) -> list[tuple[str, str]]:
    """All neighbours."""
    return [(symbols[i], symbols[i + 1]) for i in range(len(symbols) - 1)]


def put_together(symbols: tuple[str, ...], pair: tuple[str, str]) -> tuple[str, ...]:
    """Merge a pair in place, everywhere."""
    found = list(symbols)
    i = 0
    while i < len(found) - 1:
        if (found[i], found[i + 1]) == pair:
            found[i : i + 2] = ["".join(pair)]
        i += 1
    return tuple(found)


def learn_merges(counts: dict[str, int], n: int) -> list[tuple[str, str]]:
    """Learn n merges."""
    state = {word: (*word, END) for word in counts}
    merges: list[tuple[str, str]] = []
    for _ in range(n):
        tally: dict[tuple[str, str], int] = {}
        for word, symbols in state.items():
            for pair in pairs_of(symbols):
                tally[pair] = tally.get(pair, 0) + counts[word]
        if not tally:
            return merges
        top = max(tally.values())
        merges.append(min(pair for pair in tally if tally[pair] == top))
        state = {word: put_together(symbols, merges[-1]) for word, symbols in state.items()}
    return merges


def encode(word: str, merges: list[tuple[str, str]]) -> list[str]:
    """Cut a word."""
    rank = {pair: number for number, pair in enumerate(merges)}
    symbols: tuple[str, ...] = (*word, END)
    while known := [pair for pair in pairs_of(symbols) if pair in rank]:
        symbols = put_together(symbols, min(known, key=rank.__getitem__))
    return list(symbols)


def decode(pieces: list[str]) -> str:
    """Turn pieces into text."""
    text = ""
    for piece in pieces:
        text += piece.removesuffix(END) + " " * piece.endswith(END)
    return text.rstrip()


def on_circle(piece: str) -> str:
    """Show a piece."""
    return f"◌{piece}" if unicodedata.category(piece[0]) in ("Mn", "Mc", "Me") else piece
