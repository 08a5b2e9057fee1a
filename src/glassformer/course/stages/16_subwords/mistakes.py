"""What people get wrong about byte-pair encoding."""

from glassformer.course.mistakes import Mistake

SPLIT = "return [*word, END]"
BEST = "best = min(pairs, key=lambda pair: (-pairs[pair], pair))"
WORDS = "words = [(split(word), count) for word, count in counts.items()]"
ALL_MERGES = """    for pair in merges:
        symbols = merge(symbols, pair)
    return symbols"""
DECODE = 'return "".join(pieces).replace(END, " ").strip()'
SIGN = 'unicodedata.category(piece[0]).startswith("M")'
MERGE = """    merged: list[str] = []
    place = 0
    while place < len(symbols):
        if tuple(symbols[place : place + 2]) == pair:
            merged.append(symbols[place] + symbols[place + 1])
            place += 2
        else:
            merged.append(symbols[place])
            place += 1
    return merged"""

MISTAKES = [
    Mistake(
        name="each-word-counted-once",
        says="You count each word of the dictionary once. A word that occurs 4 times in the text brings each of its pairs "
        "4 times: add the word's count, not 1.",
        edits=[("pairs[pair] += count", "pairs[pair] += 1")],
    ),
    Mistake(
        name="no-end-mark",
        says="Your words have no mark at their end. Without it the pieces of 'at' inside 'late' and of the word 'at' are the "
        "same, and nobody can tell where the spaces were: start from [*word, END].",
        edits=[(SPLIT, "return list(word)")],
    ),
    Mistake(
        name="end-mark-glued-to-the-last-letter",
        says="In your words the last letter and the mark are one symbol from the start ('t</w>'). Some programs do so; here "
        "END is a symbol of its own, so that (t, END) is a merge like any other and each letter is in the vocabulary once.",
        edits=[(SPLIT, "return [*word[:-1], word[-1] + END]")],
    ),
    Mistake(
        name="only-letters-kept",
        says="You keep only what isalpha() calls a letter. The vowel signs of Hindi are no letters to Python ('ी'.isalpha() "
        "is False): लड़की has lost all its vowels. Take every character of the string.",
        edits=[(SPLIT, "return [*filter(str.isalpha, word), END]")],
    ),
    Mistake(
        name="tie-goes-to-the-first-met",
        says="Of pairs with equal counts you take the one met first. Then the merges depend on the order of the dictionary: "
        "the same text, read in another order, gives another vocabulary. Take the smallest tuple of the equals.",
        edits=[(BEST, "best = max(pairs, key=pairs.__getitem__)")],
    ),
    Mistake(
        name="tie-goes-to-the-last-in-the-alphabet",
        says="Of pairs with equal counts you take the last in the alphabet: max over (count, pair) wants the largest of both. "
        "You need the highest count but the smallest pair: min over (-count, pair).",
        edits=[(BEST, "best = max(pairs, key=lambda pair: (pairs[pair], pair))")],
    ),
    Mistake(
        name="rarest-pair-first",
        says="You merge the rarest pair. The most frequent one goes first: it is what saves most symbols.",
        edits=[(BEST, "best = min(pairs, key=lambda pair: (pairs[pair], pair))")],
    ),
    Mistake(
        name="merged-across-words",
        says="You count pairs over the border of two words: END of one and the first letter of the next. A pair stands inside "
        "one word; go through the words one by one.",
        edits=[(WORDS, "words = [([symbol for word in counts for symbol in split(word) * counts[word]], 1)]")],
    ),
    Mistake(
        name="pairs-counted-once-for-all",
        says="You count the pairs once and take the n most frequent. Each merge changes what stands beside what: merge, then "
        "count again, or no piece will ever be longer than two characters.",
        edits=[("words = [(merge(symbols, best), count) for symbols, count in words]", "pairs_left = None"),
               ("for pair in zip(symbols, symbols[1:], strict=False):",
                "for pair in set(zip(symbols, symbols[1:], strict=False)) - set(merges):")],
    ),
    Mistake(
        name="nothing-left-to-merge",
        says="You look for the best pair where there is none: every word has become a single symbol before n merges were made. "
        "Stop then, and return what you have.",
        edits=[("if not pairs:  # every word is one symbol\n            break", "")],
    ),
    Mistake(
        name="replaced-inside-symbols",
        says="You merge by replacing text ('e t' by 'et' in 'we t'), and so you tear the symbol 'we' apart. A pair is two whole "
        "symbols: compare symbols, not characters.",
        edits=[(MERGE, '    return " ".join(symbols).replace(" ".join(pair), "".join(pair)).split(" ")')],
    ),
    Mistake(
        name="only-the-first-of-a-word-merged",
        says="You merge the pair where it stands first in a word, and leave the others: 'banana' has (a, n) twice. Go on to "
        "the end of the word.",
        edits=[("            place += 2\n", "            return merged + symbols[place + 2 :]\n")],
    ),
    Mistake(
        name="overlapping-merges",
        says="After a merge you go on one place instead of two: the second symbol of the pair is used again, and letters are "
        "doubled ('oooo' must become oo oo).",
        edits=[("            place += 2\n", "            place += 1\n")],
    ),
    Mistake(
        name="merged-in-reading-order",
        says="You walk through the word and merge whatever you meet that is in the list. The rank counts, not the place: the "
        "merge that was learned first is made first, in the whole word. 'lik' with (i, k), (l, i) is l ik.",
        edits=[(ALL_MERGES, """    place = 0
    while place < len(symbols) - 1:
        if (symbols[place], symbols[place + 1]) in merges:
            symbols[place : place + 2] = [symbols[place] + symbols[place + 1]]
            place = max(place - 1, 0)
        else:
            place += 1
    return symbols""")],
    ),
    Mistake(
        name="merges-backwards",
        says="You make the merges from the last to the first. The late ones join what the early ones have made: begin with the "
        "first.",
        edits=[("for pair in merges:", "for pair in reversed(merges):")],
    ),
    Mistake(
        name="longest-piece-first",
        says="You cut off the longest known piece from the left, again and again. That is another algorithm (WordPiece's); byte-"
        "pair encoding makes its merges in their order, so 'lik' with (i, k), (l, i) is l ik.",
        edits=[(ALL_MERGES, """    known = {left + right for left, right in merges}
    found: list[str] = []
    while symbols:
        n = next((n for n in range(len(symbols), 1, -1) if "".join(symbols[:n]) in known), 1)
        found.append("".join(symbols[:n]))
        symbols = symbols[n:]
    return found""")],
    ),
    Mistake(
        name="one-merge-only",
        says="Your encode returns after its first merge. Make all of them, in their order, then return.",
        edits=[("        symbols = merge(symbols, pair)\n    return symbols",
                "        if merge(symbols, pair) != symbols:\n            return merge(symbols, pair)\n    return symbols")],
    ),
    Mistake(
        name="marks-left-in-the-text",
        says="Your text still has the marks in it: a reader wants a space where END stands.",
        edits=[(DECODE, 'return "".join(pieces)')],
    ),
    Mistake(
        name="words-run-together",
        says="You remove END and put nothing in its place: all words run together. END is where the space was.",
        edits=[(DECODE, 'return "".join(pieces).replace(END, "")')],
    ),
    Mistake(
        name="space-after-every-piece",
        says="You put a space after every piece. The pieces of one word belong together: only END becomes a space.",
        edits=[(DECODE, 'return " ".join(pieces).replace(END, "").strip()')],
    ),
    Mistake(
        name="space-at-the-end",
        says="Your text ends in a space: the last word's END stands at the end of the sentence, where nothing follows.",
        edits=[(DECODE, 'return "".join(pieces).replace(END, " ")')],
    ),
    Mistake(
        name="combining-class-zero",
        says="You ask unicodedata.combining, which is 0 for most vowel signs of Hindi (it tells in which order marks are "
        "stacked, and these are not). The category tells: Mn, Mc or Me.",
        edits=[(SIGN, "unicodedata.combining(piece[0]) > 0")],
    ),
    Mistake(
        name="sign-anywhere-in-the-piece",
        says="You give the circle to every piece that has a sign somewhere. A sign in the middle sits on the letter before it; "
        "only one at the very beginning has nothing to sit on.",
        edits=[(SIGN, 'any(unicodedata.category(c).startswith("M") for c in piece)')],
    ),
    Mistake(
        name="non-spacing-signs-only",
        says="You look for the category Mn only. ा and ी stand beside their letter and are Mc, and they need the circle too: "
        "every category that begins with M.",
        edits=[(SIGN, 'unicodedata.category(piece[0]) == "Mn"')],
    ),
]  # fmt: skip
