"""English inflection, case by case."""

import pytest

from glassformer.data.demo.english_forms import article, participle, past, present, with_ed, with_ing
from glassformer.data.demo.lexicon import VERBS, verbs


@pytest.mark.parametrize(
    ("base", "s", "ing", "ed"),
    [
        ("cook", "cooks", "cooking", "cooked"),
        ("close", "closes", "closing", "closed"),
        ("watch", "watches", "watching", "watched"),
        ("wash", "washes", "washing", "washed"),
        ("cry", "cries", "crying", "cried"),
        ("play", "plays", "playing", "played"),
        ("open", "opens", "opening", "opened"),
        ("learn", "learns", "learning", "learned"),
        ("love", "loves", "loving", "loved"),
    ],
)
def test_a_regular_verb_follows_the_spelling_rules(base: str, s: str, ing: str, ed: str) -> None:
    assert (present(base, "one"), with_ing(base), with_ed(base)) == (s, ing, ed)
    assert present(base, "I") == present(base, "many") == base


@pytest.mark.parametrize(
    ("base", "ing"),
    [
        ("run", "running"),
        ("sit", "sitting"),
        ("swim", "swimming"),
        ("cut", "cutting"),
        ("get", "getting"),
        ("put", "putting"),
        ("write", "writing"),
        ("see", "seeing"),
        ("read", "reading"),
        ("eat", "eating"),
        ("throw", "throwing"),
        ("show", "showing"),
        ("forgive", "forgiving"),
    ],
)
def test_ing_doubles_a_consonant_after_one_short_vowel_only(base: str, ing: str) -> None:
    assert with_ing(base) == ing


@pytest.mark.parametrize(
    ("base", "then", "done"),
    [
        ("eat", "ate", "eaten"),
        ("go", "went", "gone"),
        ("read", "read", "read"),
        ("bring", "brought", "brought"),
        ("study", "studied", "studied"),
        ("arrive", "arrived", "arrived"),
        ("drink", "drank", "drunk"),
        ("fly", "flew", "flown"),
    ],
)
def test_irregular_pasts_come_from_the_table_and_the_others_from_the_rule(base: str, then: str, done: str) -> None:
    verb = next(iter(verbs(base)))
    assert (past(verb), participle(verb)) == (then, done)


def test_a_verb_irregular_in_the_past_has_its_participle_in_the_table_too() -> None:
    assert all(bool(verb.past) == bool(verb.participle) for verb in VERBS)


@pytest.mark.parametrize("following", ["apple", "old book", "elephant", "umbrella", "interesting film", "honest man"])
def test_an_stands_before_a_vowel_sound(following: str) -> None:
    assert article(following) == "an"


@pytest.mark.parametrize("following", ["book", "red apple", "house", "young engineer"])
def test_a_stands_before_a_consonant_sound(following: str) -> None:
    assert article(following) == "a"
