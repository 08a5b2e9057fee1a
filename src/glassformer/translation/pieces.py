"""What is longer than a model can read, cut where sentences end: a sentence a piece.

Works on tokens, so that nothing has to be tokenised twice. Text that fits is never cut.
"""

from collections.abc import Sequence

SENTENCE_ENDS = (".", "!", "?", "।", "॥", "…")
# A run of words without a sentence's end is cut to this: about the longest that translators are trained on.
PIECE_TOKENS = 128


def cut(tokens: Sequence[str], limit: int) -> list[range]:
    """The places of each piece, none longer than `limit`. `tokens` without the end token."""
    if len(tokens) <= limit:
        return [range(len(tokens))]
    pieces = []
    start = 0
    for place in range(1, len(tokens) + 1):
        if place == len(tokens) or (tokens[place].startswith("▁") and tokens[place - 1].endswith(SENTENCE_ENDS)):
            sentence = range(start, place)
            pieces += [sentence] if len(sentence) <= limit else cut_words(tokens, sentence, min(limit, PIECE_TOKENS))
            start = place
    return pieces


def cut_words(tokens: Sequence[str], places: range, limit: int) -> list[range]:
    """Cut before words, as late as the limit allows; inside a word only where one alone is longer than the limit."""
    pieces = []
    start = places.start
    while places.stop - start > limit:
        word_starts = [place for place in range(start + 1, start + limit + 1) if tokens[place].startswith("▁")]
        stop = word_starts[-1] if word_starts else start + limit
        pieces.append(range(start, stop))
        start = stop
    return [*pieces, range(start, places.stop)]
