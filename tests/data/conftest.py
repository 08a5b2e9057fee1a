"""Small parallel texts, and one of them prepared."""

import os
import random
from pathlib import Path

import pytest

from glassformer.data.filters import FilterConfig
from glassformer.data.prepare import prepare
from glassformer.text.config import TextConfig
from glassformer.text.tokenizer import Tokenizer

Pairs = list[tuple[str, str]]

ENGLISH = "we see the old house and a small garden where my brother plays with his friend every day"
HINDI = "हम पुराना घर और एक छोटा बगीचा देखते हैं जहाँ मेरा भाई अपने दोस्त के साथ हर दिन खेलता है"


def make_pairs(n_pairs: int, seed: int = 0) -> Pairs:
    """Distinct pairs of one to twelve words each. They mean nothing, but lengths and letters are as they should be."""
    dice = random.Random(seed)
    pairs: dict[tuple[str, str], None] = {}
    while len(pairs) < n_pairs:
        src, tgt = (" ".join(dice.choices(words.split(), k=dice.randint(1, 12))) for words in (ENGLISH, HINDI))
        pairs[f"{src}.", f"{tgt}।"] = None
    return list(pairs)


@pytest.fixture(scope="session")
def pairs() -> Pairs:
    return make_pairs(300)


@pytest.fixture(scope="session")
def tokenizer(pairs: Pairs) -> Tokenizer:
    return Tokenizer.train(pairs, TextConfig(vocab_size=120))


@pytest.fixture(scope="session")
def prepared(pairs: Pairs, tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with 250 pairs in train and 50 in valid, none dropped. Copy it to change it."""
    folder = tmp_path_factory.mktemp("data") / "prepared"
    filters = FilterConfig(max_ratio=0)
    prepare({"train": pairs[:250], "valid": pairs[250:]}, tokenizer, folder, filters)
    return folder


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of real corpora: $GLASSFORMER_DATA, or shared/data beside the repository."""
    beside = Path(__file__).parents[3] / "shared" / "data"
    folder = Path(os.environ.get("GLASSFORMER_DATA", beside))
    if not folder.is_dir():
        pytest.skip("no folder of real corpora: set GLASSFORMER_DATA to one")
    return folder
