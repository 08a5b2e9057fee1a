"""What the grammar covers: every tense, mood and kind of sentence that was promised, often enough to be learnt."""

import re
from collections import Counter

from glassformer.data.demo.combinations import content_words
from glassformer.data.demo.grammar import everything
from glassformer.data.demo.lexicon import ADJECTIVES, ALL_TENSES, COMPARATIVES, NOUNS, VERBS
from glassformer.data.demo.meaning import Doing


def test_every_tense_is_said_denied_and_asked() -> None:
    said = Counter(
        (clause.tense, "negative" if clause.negative else clause.asked)
        for clause in (made.meaning.first for made in everything())
        if isinstance(clause, Doing)
    )
    for tense in ALL_TENSES:
        assert said[tense, ""] > 500, tense
        if tense != "must":
            assert min(said[tense, "negative"], said[tense, "whether"]) > 200, tense


def test_every_kind_of_sentence_is_there() -> None:
    hindi = Counter(word for made in everything() for word in set(re.sub("[।?]", "", made.hindi).split()))
    english = Counter(word for made in everything() for word in set(made.english.lower().rstrip(".?").split()))
    for word in ("ने", "को", "से", "में", "पर", "के", "का", "की", "नहीं", "मत", "क्या", "कौन", "किसने", "किसे", "कहाँ", "कब"):
        assert hindi[word] >= 20, word
    for word in ("क्यों", "कितने", "कितनी", "किसका", "किसकी", "पास", "पसंद", "चाहिए", "और", "लेकिन", "क्योंकि", "बहुत", "कृपया"):
        assert hindi[word] >= 20, word
    for word in ("वह", "वे", "आप", "हम", "मैं", "मेरा", "मेरी", "मेरे", "अपना", "अपनी", "अपने", "यह", "ये", "इस", "उन", "दो"):
        assert hindi[word] >= 50, word
    for word in ("who", "what", "where", "when", "why", "whose", "please", "never", "than", "there", "and", "because"):
        assert english[word] >= 30, word


def test_every_word_of_the_lexicon_is_used() -> None:
    used = set().union(*(content_words(made.english) for made in everything()))
    known = {word.english for word in (*ADJECTIVES, *COMPARATIVES) if " " not in word.english}
    assert {verb.english for verb in VERBS} | known | set(NOUNS) <= used
