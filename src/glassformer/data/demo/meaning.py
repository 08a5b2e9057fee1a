"""What a sentence says, in neither language: english.py and hindi.py each say it in their own way.

This is the synchronous part of the grammar: both sides are made from the same structure, so they cannot disagree. Which
structures are worth saying is for the patterns to choose (patterns_*.py).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from .lexicon import PRONOUNS, Adjective, Adverb, Agreement, Count, Noun, Number, Pronoun, Tense, Verb

Asked = Literal["", "whether", "where", "when", "why"]
BeingTense = Literal["present", "past", "future"]
FeelingVerb = Literal["like", "love", "want", "need", "find"]
Hunger = Literal["hungry", "thirsty"]

NOW_OR_THEN: tuple[BeingTense, ...] = ("present", "present", "past")  # now is said more often

WHO, WHAT = PRONOUNS["who"], PRONOUNS["what"]
HOW_MANY = "how many"
NEUTRAL = Agreement(3, "sg", "m")  # what a verb agrees with when nothing controls it: मैंने लड़कियों को देखा


@dataclass(frozen=True, eq=False)
class NounPhrase:
    """A noun with what stands before it: the book, two red apples, my sister, Ravi."""

    noun: Noun
    number: Number = "sg"
    determiner: str = ""  # "", a, the, this, that, two ... ten, how many; "" with an owner
    owner: "Pronoun | NounPhrase | None" = None
    adjective: Adjective | None = None

    @cached_property
    def agreement(self) -> Agreement:
        """What Hindi words agree with."""
        return Agreement(3, "pl" if self.noun.honoured else self.number, self.noun.gender)

    @property
    def count(self) -> Count:
        """What an English verb agrees with."""
        return "one" if self.number == "sg" else "many"

    @property
    def definite(self) -> bool:
        """Whether it is a certain one: the dog, this dog, my dog, Bark. Such an animal takes को as an object."""
        return self.owner is not None or self.noun.name or self.determiner in ("the", "this", "that")


@dataclass(frozen=True, eq=False)
class Couple:
    """Two people named together: Ravi and Sita. Masculine, unless both are women."""

    first: NounPhrase
    second: NounPhrase
    count: Count = "many"

    @cached_property
    def agreement(self) -> Agreement:
        """What Hindi words agree with."""
        both_women = self.first.noun.gender == self.second.noun.gender == "f"
        return Agreement(3, "pl", "f" if both_women else "m")


@dataclass(frozen=True, eq=False)
class It:
    """What an earlier clause named: "The car is old but it is good". It keeps the gender of the noun."""

    agreement: Agreement
    count: Count = "one"


Nominal = Pronoun | NounPhrase | Couple | It


class Preposition(NamedTuple):
    """A word for where, before the noun in English and after it in Hindi."""

    english: str
    hindi: str


@dataclass(frozen=True, eq=False)
class Place:
    """Where, or where to: on the table, to the market."""

    preposition: Preposition
    thing: NounPhrase


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Doing:
    """Someone does something: the clause with a full verb."""

    subject: Nominal
    verb: Verb
    tense: Tense
    object: Nominal | None = None
    recipient: Nominal | None = None
    companion: Nominal | None = None
    place: Place | None = None
    time: Adverb | None = None
    negative: bool = False
    asked: Asked = ""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Being:
    """Something is something, or somewhere. Without a complement, `asked` is "where"."""

    subject: Nominal
    complement: Adjective | NounPhrase | Place | None
    tense: BeingTense = "present"
    very: bool = False
    than: Nominal | None = None
    time: Adverb | None = None
    negative: bool = False
    asked: Asked = ""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Pointing:
    """This is my book. These are apples. Whose book is this? The demonstrative agrees with the noun in number."""

    near: bool
    thing: NounPhrase
    negative: bool = False
    asked: Asked = ""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Existing:
    """There is something somewhere."""

    thing: NounPhrase
    place: Place
    tense: BeingTense = "present"
    asked: Asked = ""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Having:
    """Someone has something: के पास for things, का for brothers and sisters."""

    owner: Nominal
    thing: NounPhrase
    tense: BeingTense = "present"
    negative: bool = False
    asked: Asked = ""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Feeling:
    """What comes to someone, who is marked with को in Hindi: to like, love, want, need, find something."""

    who: Nominal
    verb: FeelingVerb
    thing: Nominal
    tense: BeingTense = "present"
    negative: bool = False
    asked: Asked = ""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Needing:
    """To be hungry or thirsty, which Hindi says as hunger that has come to someone: रवि को भूख लगी है."""

    who: Nominal
    what: Hunger
    tense: BeingTense = "present"
    very: bool = False
    negative: bool = False
    asked: Asked = ""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Command:
    """Do something: to a friend (करो), or with "please" to anyone (कीजिए)."""

    verb: Verb
    polite: bool
    object: Nominal | None = None
    recipient: Nominal | None = None
    place: Place | None = None
    negative: bool = False


Clause = Doing | Being | Pointing | Existing | Having | Feeling | Needing | Command


def asks(clause: Clause) -> bool:
    """Say whether a clause is a question: by `asked`, or by a question word inside it."""
    if isinstance(clause, Command):
        return False
    return bool(clause.asked) or any(is_question_word(part) for part in parts(clause))


def is_question_word(part: Nominal | None) -> bool:
    """Say whether a phrase asks: who, what, how many books, whose book."""
    if isinstance(part, NounPhrase):
        return part.determiner == HOW_MANY or part.owner is WHO
    return part is WHO or part is WHAT


def parts(clause: Clause) -> list[Nominal | None]:
    """List the noun phrases of a clause that can be asked for."""
    match clause:
        case Doing():
            return [clause.subject, clause.object]
        case Being():
            return [clause.subject]
        case Having():
            return [clause.owner, clause.thing]
        case Feeling():
            return [clause.who, clause.thing]
        case Needing():
            return [clause.who]
        case Pointing() | Existing():
            return [clause.thing]
        case Command():
            return [clause.object]


@dataclass(frozen=True, eq=False)
class Sentence:
    """One clause, or two and the word that joins them."""

    pattern: str
    first: Clause
    joined_by: Literal["", "and", "but", "because"] = ""
    second: Clause | None = None

    @cached_property
    def asks(self) -> bool:
        """Whether it ends in a question mark. Where two clauses are joined, the first decides."""
        return asks(self.first)
