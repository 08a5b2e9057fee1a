"""Looks at the merges, at how words are cut by them, and at the way back. All cases worked by hand."""

from collections.abc import Iterator

from glassformer.course.observation import Observation
from glassformer.course.universe import Subject

END = "</w>"
LIKES = {"like": 5, "likes": 2, "love": 4, "loves": 6, "pizza": 3}
CHILDREN = {"लड़का": 4, "लड़की": 5, "लड़के": 3, "रोटी": 2}  # boy, girl, boys, bread


def observe(my: Subject) -> Iterator[Observation]:
    """First the merges, simple cases before ties; then encode, decode, and Hindi."""
    learn_merges, encode, decode = my.part("learn_merges"), my.part("encode"), my.part("decode")

    counts = {"it": 3, "at": 4, "an": 2}
    yield Observation(
        'the first merge of {"it": 3, "at": 4, "an": 2}', learn_merges(dict(counts), 1), [("t", END)],
        f"t is followed by {END} in 'it' and in 'at': 3 + 4 = 7 times, more than any other pair.",
    )  # fmt: skip
    yield Observation(
        "its second and third merge", learn_merges(dict(counts), 3), [("t", END), ("a", f"t{END}"), ("i", f"t{END}")],
        f"After the first merge t{END} is one symbol. Then a t{END} stands there 4 times, i t{END} 3 times.",
    )  # fmt: skip
    yield Observation(
        "a tie: the first merge of the word 'cab'", learn_merges({"cab": 1}, 1), [("a", "b")],
        f"(c, a), (a, b) and (b, {END}) all occur once: the first in the alphabet is (a, b).",
    )  # fmt: skip
    yield Observation(
        "six merges of like, likes, love, loves, pizza", learn_merges(dict(LIKES), 6),
        [("l", "o"), ("lo", "v"), ("lov", "e"), ("s", END), ("i", "k"), ("ik", "e")],
        "Counts: (l, o), (o, v) and (v, e) 10 each, then (s, END) 8, then (i, k), (k, e), (l, i) 7 each.",
    )  # fmt: skip
    yield Observation(
        "the merges of 'we' 5 times, 'wet' once, 'pets' 4 times, until nothing is left",
        learn_merges({"we": 5, "wet": 1, "pets": 4}, 20),
        [
            ("w", "e"), ("we", END), ("e", "t"), ("et", "s"), ("ets", END), ("p", f"ets{END}"), ("t", END),
            ("we", f"t{END}"),
        ],
        "A pair is two whole symbols: where `we` and `t` are neighbours, (e, t) does not occur.",
    )  # fmt: skip

    merges = [("i", "k"), ("ik", "e"), ("l", "ike"), ("s", END)]
    yield Observation(
        "'liked', which nobody has seen", encode("liked", list(merges)), ["like", "d", END],
        "What the merges do not know stays in small pieces, END included.",
    )  # fmt: skip
    yield Observation(
        "'lik' by the merges (i, k), (l, i)", encode("lik", [("i", "k"), ("l", "i")]), ["l", "ik", END],
        "The merge learned first is made first, wherever in the word it stands.",
    )  # fmt: skip
    yield Observation(
        "'abc' by the merges (b, c), (a, bc), (a, b)", encode("abc", [("b", "c"), ("a", "bc"), ("a", "b")]),
        ["abc", END], "(b, c) is made first: then no b stands behind the a any more.",
    )  # fmt: skip
    yield Observation(
        "'banana' by the merge (a, n)", encode("banana", [("a", "n")]), ["b", "an", "an", "a", END],
        "A merge is made wherever the pair stands.",
    )  # fmt: skip
    yield Observation("'oooo' by the merge (o, o)", encode("oooo", [("o", "o")]), ["oo", "oo", END], "From the left.")
    yield Observation(
        "'wet' by the merges (w, e), (e, t)", encode("wet", [("w", "e"), ("e", "t")]), ["we", "t", END],
        "After the first merge there is no symbol e left.",
    )  # fmt: skip

    pieces = ["Pr", "am", f"od{END}", "love", f"s{END}", "pizza", END]
    yield Observation(
        f"the text of {' '.join(pieces)}", decode(list(pieces)), "Pramod loves pizza",
        "Join the pieces; where END stands, a word ends.",
    )  # fmt: skip
    cut = [piece for word in "Bark likes pizza".split() for piece in encode(word, merges)]
    yield Observation("'Bark likes pizza', cut and put together again", decode(cut), "Bark likes pizza")

    yield Observation(
        "five merges of लड़का, लड़की, लड़के, रोटी (boy, girl, boys, bread)", learn_merges(dict(CHILDREN), 5),
        [("ड", "़"), ("ड़", "क"), ("ल", "ड़क"), ("ी", END), ("लड़क", f"ी{END}")],
        "Each character of the string is a symbol, also the signs that a screen draws onto the letter before.",
    )  # fmt: skip
    on_circle = my.part("on_circle")
    shown = [on_circle(piece) for piece in ("्य", f"ी{END}", "लड़क", "े", "love")]
    yield Observation(
        "pieces as they are shown", shown, ["◌्य", f"◌ी{END}", "लड़क", "◌े", "love"],
        "A piece gets the circle if its first character has a category Mn, Mc or Me.",
    )  # fmt: skip
