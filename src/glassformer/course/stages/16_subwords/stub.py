"""Stage 16: subwords by byte-pair encoding. Paper: section 5.1; Sennrich, Haddow and Birch (2016).

Plain Python, no torch. Write as many small helpers as you like.
"""

import unicodedata
from collections import Counter

END = "</w>"  # where a word ends: without it, nobody could put the spaces back


def learn_merges(counts: dict[str, int], n: int) -> list[tuple[str, str]]:
    """Return the n merges to make, in their order.

    counts: how often each word occurs in the text. A word starts as its characters and END, a symbol of its own:
    "like" is ["l", "i", "k", "e", END]. Then, n times:

        count every pair of neighbours inside words: a word that occurs 5 times counts 5 times
        take the pair with the highest count; of equals the first in the alphabet, the smaller tuple
        put that pair together wherever it stands, from the left; the next round counts the new symbols

    Stops early when no word has a pair left.

    https://docs.python.org/3/library/collections.html#collections.Counter
    https://docs.python.org/3/library/functions.html#min
    """
    # Your code here
    raise NotImplementedError


def encode(word: str, merges: list[tuple[str, str]]) -> list[str]:
    """Cut a word, seen or not, into pieces: its characters and END, with the merges made in the order they were learned.

    encode("liked", [("i", "k"), ("ik", "e"), ("l", "ike")]) is ["like", "d", END]
    """
    # Your code here
    raise NotImplementedError


def decode(pieces: list[str]) -> str:
    """Turn pieces back into text, with one space between words: ["like", END, "pi", "zza", END] is "like pizza"."""
    # Your code here
    raise NotImplementedError


def on_circle(piece: str) -> str:
    """Return the piece as it can be shown: behind a dotted circle "◌" if it begins with a combining sign.

    A combining sign has a Unicode category that begins with "M".

    https://docs.python.org/3/library/unicodedata.html#unicodedata.category
    """
    # Your code here
    raise NotImplementedError
