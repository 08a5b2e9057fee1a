"""A small parallel text and tokenizers learnt from it."""

from itertools import product

import pytest

from glassformer.text.config import TextConfig
from glassformer.text.tokenizer import Tokenizer

WHO = {
    "The boy": "लड़का",
    "My younger brother": "मेरा छोटा भाई",
    "The old teacher": "बूढ़ा अध्यापक",
    "Our neighbour": "हमारा पड़ोसी",
    "A kind doctor": "एक दयालु डॉक्टर",
}
WHAT = {
    "an apple": "सेब",
    "the small book": "छोटी किताब",
    "hot tea": "गरम चाय",
    "two pictures": "दो तस्वीरें",
    "fresh bread": "ताज़ी रोटी",
}
DOES = {
    "sees": "देखता है",
    "wants": "चाहता है",
    "brings": "लाता है",
    "likes": "पसंद करता है",
    "looks for": "ढूँढ़ता है",
}


def make_pairs() -> list[tuple[str, str]]:
    return [
        (f"{who} {does} {what}.", f"{WHO[who]} {WHAT[what]} {DOES[does]}।")
        for who, does, what in product(WHO, DOES, WHAT)
    ]


@pytest.fixture(scope="session")
def pairs() -> list[tuple[str, str]]:
    """125 sentences and their translations."""
    return make_pairs()


SIZES = {"bpe": 120, "unigram": 90}  # sentencepiece 0.2.3 finds at most 94 pieces for a unigram of this text


@pytest.fixture(scope="session", params=SIZES)
def tokenizer(request: pytest.FixtureRequest, pairs: list[tuple[str, str]]) -> Tokenizer:
    """One of each kind, with a joint vocabulary."""
    return Tokenizer.train(pairs, TextConfig(vocab_size=SIZES[request.param], kind=request.param))
