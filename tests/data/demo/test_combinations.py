"""Which words of a sentence make a combination, by hand."""

from glassformer.data.demo.combinations import combinations, content_words, words
from glassformer.data.demo.lexicon import ADJECTIVES, NOUNS, PRONOUNS, verbs
from glassformer.data.demo.meaning import (
    Being,
    Clause,
    Doing,
    Existing,
    Feeling,
    NounPhrase,
    Place,
    Preposition,
    Sentence,
)

RED = next(word for word in ADJECTIVES if word.english == "red")
SHE = PRONOUNS["she"]


def the(english: str) -> NounPhrase:
    return NounPhrase(NOUNS[english], "sg", "the")


def found(clause: Clause) -> set[tuple[str, str]]:
    return set(combinations(Sentence("by hand", clause)))


def test_a_verb_is_combined_with_its_object_and_with_its_place() -> None:
    (eat,), (go,) = verbs("eat"), verbs("go")
    market = Place(Preposition("to", ""), the("market"))
    assert found(Doing(subject=the("boy"), verb=eat, tense="past", object=the("apple"))) == {("eat", "apple")}
    assert found(Doing(subject=SHE, verb=go, tense="past", place=market)) == {("go", "market")}


def test_an_adjective_is_combined_with_its_noun_before_it_and_after_is() -> None:
    (wash,) = verbs("wash")
    red_car = NounPhrase(NOUNS["car"], "sg", "the", None, RED)
    assert found(Being(subject=the("car"), complement=RED)) == {("red", "car")}
    assert found(Doing(subject=SHE, verb=wash, tense="future", object=red_car)) == {("wash", "car"), ("red", "car")}


def test_a_thing_is_combined_with_where_it_is_and_with_what_one_feels_for_it() -> None:
    on_the_table = Place(Preposition("on", "पर"), the("table"))
    assert found(Existing(thing=the("cup"), place=on_the_table)) == {("cup", "table")}
    assert found(Being(subject=the("cup"), complement=on_the_table)) == {("cup", "table")}
    assert found(Feeling(who=SHE, verb="like", thing=NounPhrase(NOUNS["pizza"]))) == {("like", "pizza")}


def test_names_and_pronouns_make_no_combination() -> None:
    (meet,) = verbs("meet")
    assert found(Doing(subject=SHE, verb=meet, tense="past", object=NounPhrase(NOUNS["Ravi"]))) == set()


def test_both_clauses_of_a_joined_sentence_are_looked_at() -> None:
    likes = [Feeling(who=SHE, verb="like", thing=NounPhrase(NOUNS[thing])) for thing in ("tea", "milk")]
    assert set(combinations(Sentence("by hand", likes[0], "and", likes[1]))) == {("like", "tea"), ("like", "milk")}


def test_words_are_found_in_every_form_and_a_form_of_two_words_is_both() -> None:
    assert words("Ravi's dogs don't bark, do they?") == ["ravi", "'s", "dogs", "don't", "bark", "do", "they"]
    assert content_words("She ate the mangoes.") == {"eat", "mango"}
    assert content_words("The shop was closed.") == {"shop", "close", "closed"}
