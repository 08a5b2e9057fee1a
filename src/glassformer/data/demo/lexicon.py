"""The words of both languages, side by side: what the tables beside this file say, as records.

Inflects nothing (see english_forms.py, hindi_forms.py) and builds no sentences.

A tag says what a word can be used for ("food" can be eaten, "opened" can be opened), so that the grammar makes sense
and not only sentences. A noun carries its own English name as a tag, too. Records are equal only to themselves, which
makes them cheap keys of a cache.
"""

import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple, cast

Gender = Literal["m", "f"]
Number = Literal["sg", "pl"]
Tense = Literal["habitual", "progressive", "past", "was", "perfect", "future", "can", "want", "should", "must"]
Count = Literal["I", "one", "many"]  # all that English verbs agree with: am, is, are

ALL_TENSES: tuple[Tense, ...] = (
    "habitual",  # eats         खाता है
    "progressive",  # is eating    खा रहा है
    "past",  # ate          ने खाया
    "was",  # was eating   खा रहा था
    "perfect",  # has eaten    ने खाया है
    "future",  # will eat     खाएगा
    "can",  # can eat      खा सकता है
    "want",  # wants to eat खाना चाहता है
    "should",  # should eat   को खाना चाहिए
    "must",  # has to eat   को खाना है
)


class Agreement(NamedTuple):
    """What Hindi verbs, adjectives and possessives copy from the word that controls them.

    आप and those we honour (पिता, माँ) are plural here, whatever their number in English.
    """

    person: Literal[1, 3]
    number: Number
    gender: Gender


@dataclass(frozen=True, eq=False)
class Noun:
    """A noun or a name. `hindi` is the direct singular."""

    english: str
    plural: str  # "" where there is none
    hindi: str
    gender: Gender
    her: str  # what a woman of this role is called: अध्यापक, अध्यापिका; "" where the word is not said of both
    fixed: bool  # a masculine in -ा that does not change: पिता, राजा
    honoured: bool  # agrees in the plural out of respect
    mass: bool  # not counted: water; names too
    name: bool  # written with a capital, without an article
    tags: frozenset[str]


@dataclass(frozen=True, eq=False)
class Adjective:
    """An adjective, or a comparative. `hindi` is the masculine direct singular."""

    english: str
    hindi: str
    fixed: bool  # does not agree: लाल, सुंदर
    state: bool  # said of a subject ("is ill"), not before a noun
    pleasant: bool  # praises; "old but good" joins one that does and one that does the opposite
    unpleasant: bool
    describes: frozenset[str]


@dataclass(frozen=True, eq=False)
class Verb:
    """A verb. `hindi` is the stem; a conjunct verb has a `host` before it: बंद करना, मदद करना."""

    english: str
    past: str  # "" where regular
    participle: str
    particle: str  # "for" of "look for"
    hindi: str
    host: str
    host_gender: str  # "m" or "f" where the host is a noun that the verb agrees with (मदद की); "" where it is none (बंद)
    marker: str  # the postposition of the object: को, से, की; "" for a bare object
    takes_agent: bool  # its subject is marked with ने in the past: खाना does, जाना and लाना do not
    posture: bool  # "is sitting" is बैठा है, not बैठ रहा है
    placing: bool  # the place stands next to the verb: किताब मेज़ पर रखना
    tenses: tuple[Tense, ...]
    subjects: frozenset[str]
    objects: frozenset[str]  # empty for an intransitive verb


@dataclass(frozen=True, eq=False)
class Pronoun:
    """A pronoun. Hindi writes postpositions together with it, so every form stands in the table."""

    english: str
    object: str
    possessive: str
    direct: str  # मैं
    agent: str  # मैंने
    dative: str  # मुझे
    genitive: str  # मेर-, the stem of मेरा, मेरे, मेरी
    oblique: str  # मुझ-, as in मुझसे
    agreement: Agreement

    @property
    def count(self) -> Count:
        """What an English verb agrees with."""
        if self.english == "I":
            return "I"
        return "one" if self.agreement.number == "sg" else "many"


@dataclass(frozen=True, eq=False)
class Adverb:
    """A word for when or how often. Hindi puts it after the subject; English at the end or before the verb."""

    english: str
    hindi: str
    before_verb: bool
    tenses: tuple[Tense, ...]


def rows(table: str) -> list[dict[str, str]]:
    """Read a tab-separated table of this package; the first line names the columns."""
    text = (files(__package__) / table).read_text(encoding="utf-8")
    # ज़ and its like have two spellings that look the same: NFC leaves one.
    head, *body = (line.split("\t") for line in unicodedata.normalize("NFC", text).splitlines())
    return [dict(zip(head, line, strict=True)) for line in body]


def _noun(row: dict[str, str]) -> Noun:
    english, plural, flags = row["english"], row["plural"] or row["english"] + "s", row["flags"].split()
    return Noun(
        english=english,
        plural="" if plural == "none" else plural,
        hindi=row["hindi"],
        gender=cast(Gender, row["gender"]),
        her=row["her"],
        fixed="fixed" in flags,
        honoured="honoured" in flags,
        mass="mass" in flags,
        name="name" in flags,
        tags=frozenset({english, *row["tags"].split()}),
    )


def _adjective(row: dict[str, str]) -> Adjective:
    flags = row["flags"].split()
    return Adjective(
        english=row["english"],
        hindi=row["hindi"],
        fixed="fixed" in flags,
        state="state" in flags,
        pleasant="pleasant" in flags,
        unpleasant="unpleasant" in flags,
        describes=frozenset(row["describes"].split()),
    )


def _tenses(words: str) -> tuple[Tense, ...]:
    return ALL_TENSES if words == "all" else tuple(cast(Tense, word) for word in words.split())


def _verb(row: dict[str, str]) -> Verb:
    return Verb(
        english=row["english"],
        past=row["past"],
        participle=row["participle"],
        particle=row["particle"],
        hindi=row["hindi"],
        host=row["host"],
        host_gender=row["host_gender"],
        marker=row["marker"],
        takes_agent=row["agent"] == "ने",
        posture="posture" in row["flags"],
        placing="placing" in row["flags"],
        tenses=_tenses(row["tenses"]),
        subjects=frozenset(row["subjects"].split()),
        objects=frozenset(row["objects"].split()),
    )


def _pronoun(row: dict[str, str]) -> Pronoun:
    person: Literal[1, 3] = 1 if row["person"] == "1" else 3
    agreement = Agreement(person, cast(Number, row["number"]), cast(Gender, row["gender"]))
    return Pronoun(
        english=row["english"],
        object=row["object"],
        possessive=row["possessive"],
        direct=row["direct"],
        agent=row["agent"],
        dative=row["dative"],
        genitive=row["genitive"],
        oblique=row["oblique"],
        agreement=agreement,
    )


def _adverb(row: dict[str, str]) -> Adverb:
    return Adverb(row["english"], row["hindi"], row["where"] == "verb", _tenses(row["tenses"]))


NOUNS = {row["english"]: _noun(row) for row in rows("nouns.tsv")}
ADJECTIVES = tuple(_adjective(row) for row in rows("adjectives.tsv"))
COMPARATIVES = tuple(_adjective(row) for row in rows("comparatives.tsv"))
VERBS = tuple(_verb(row) for row in rows("verbs.tsv"))
PRONOUNS = {row["english"]: _pronoun(row) for row in rows("pronouns.tsv")}
ADVERBS = {row["english"]: _adverb(row) for row in rows("adverbs.tsv")}


@cache
def nouns(*tags: str) -> tuple[Noun, ...]:
    """List the nouns that carry any of these tags."""
    return tuple(noun for noun in NOUNS.values() if not noun.tags.isdisjoint(tags))


def verbs(*english: str) -> list[Verb]:
    """List the verbs of these names; "see" is two, one for things and one for people."""
    return [verb for verb in VERBS if verb.english in english]
