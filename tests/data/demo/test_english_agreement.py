"""English verbs over everything the grammar makes, against forms written out a second time."""

import re
from collections.abc import Iterator

from glassformer.data.demo.grammar import everything
from glassformer.data.demo.lexicon import VERBS, Pronoun
from glassformer.data.demo.meaning import Being, Clause, Doing, Existing, Feeling, Having, Needing, Nominal, Pointing

# Base, with -s, with -ing, past, participle.
FORMS = {
    line.split()[0]: line.split()
    for line in """
    eat eats eating ate eaten
    drink drinks drinking drank drunk
    cook cooks cooking cooked cooked
    make makes making made made
    buy buys buying bought bought
    sell sells selling sold sold
    read reads reading read read
    write writes writing wrote written
    see sees seeing saw seen
    watch watches watching watched watched
    open opens opening opened opened
    close closes closing closed closed
    wash washes washing washed washed
    wear wears wearing wore worn
    learn learns learning learned learned
    speak speaks speaking spoke spoken
    sing sings singing sang sung
    play plays playing played played
    listen listens listening listened listened
    bring brings bringing brought brought
    take takes taking took taken
    cut cuts cutting cut cut
    throw throws throwing threw thrown
    break breaks breaking broke broken
    clean cleans cleaning cleaned cleaned
    look looks looking looked looked
    put puts putting put put
    give gives giving gave given
    send sends sending sent sent
    show shows showing showed shown
    call calls calling called called
    help helps helping helped helped
    meet meets meeting met met
    talk talks talking talked talked
    wait waits waiting waited waited
    love loves loving loved loved
    know knows knowing knew known
    teach teaches teaching taught taught
    forgive forgives forgiving forgave forgiven
    go goes going went gone
    come comes coming came come
    arrive arrives arriving arrived arrived
    return returns returning returned returned
    sleep sleeps sleeping slept slept
    run runs running ran run
    walk walks walking walked walked
    sit sits sitting sat sat
    laugh laughs laughing laughed laughed
    cry cries crying cried cried
    dance dances dancing danced danced
    swim swims swimming swam swum
    work works working worked worked
    rest rests resting rested rested
    study studies studying studied studied
    live lives living lived lived
    get gets getting got got
    fall falls falling fell fallen
    fly flies flying flew flown
    bark barks barking barked barked
    like likes liking liked liked
    want wants wanting wanted wanted
    need needs needing needed needed
    find finds finding found found
    have has having had had
    """.strip().splitlines()
}


def test_the_second_list_has_every_verb() -> None:
    assert {verb.english for verb in VERBS} <= set(FORMS)


def number(part: Nominal) -> int:
    """Return 0 for I, 1 for one, 2 for many: the place in (am, is, are)."""
    if isinstance(part, Pronoun):
        return {"I": 0, "he": 1, "she": 1, "who": 1, "what": 1}.get(part.english, 2)
    return 2 if getattr(part, "number", "sg" if type(part).__name__ == "It" else "pl") == "pl" else 1


def parts_of_verb(clause: Clause) -> tuple[str, str]:
    """Return the auxiliary and the verb that a clause must have; ("", ...) where it has none."""
    match clause:
        case Doing():
            who, base, tense = number(clause.subject), clause.verb.english, str(clause.tense)
            fronted = clause.object is not None and is_fronted(clause)
        case Feeling():
            who, base, fronted = number(clause.who), clause.verb, False
            tense = "habitual" if clause.tense == "present" else clause.tense
        case Having():
            who, base, fronted = number(clause.owner), "have", clause.thing.determiner == "how many"
            tense = "habitual" if clause.tense == "present" else "past"
        case Being() | Needing() | Existing() | Pointing():
            subject = (
                clause.subject if isinstance(clause, Being) else getattr(clause, "who", getattr(clause, "thing", None))
            )
            assert subject is not None
            then = "present" if isinstance(clause, Pointing) else clause.tense
            who = number(subject)
            be = {"present": ("am", "is", "are"), "past": ("was", "was", "were"), "future": ("will", "will", "will")}
            return be[then][who], "be" if then == "future" else ""
        case _:
            raise AssertionError(clause)
    plain, with_s, with_ing, past, participle = FORMS[base]
    supported = fronted or getattr(clause, "negative", False) or bool(clause.asked)
    do, have = ("do", "does", "do")[who], ("have", "has", "have")[who]
    match tense:
        case "habitual":
            return (do, plain) if supported else ("", (plain, with_s, plain)[who])
        case "past":
            return ("did", plain) if supported else ("", past)
        case "want":
            return (do, f"want to {plain}") if supported else ("", f"{('want', 'wants', 'want')[who]} to {plain}")
        case "must":
            return (do, f"have to {plain}") if supported else ("", f"{have} to {plain}")
        case "progressive":
            return ("am", "is", "are")[who], with_ing
        case "was":
            return ("was", "was", "were")[who], with_ing
        case "perfect":
            return have, participle
    return {"future": "will"}.get(tense, tense), plain


def is_fronted(clause: Doing) -> bool:
    if isinstance(clause.object, Pronoun):
        return clause.object.english in ("who", "what")
    return getattr(clause.object, "determiner", "") == "how many"


def faults(clause: Clause, line: str) -> Iterator[str]:
    auxiliary, verb = parts_of_verb(clause)
    negative = getattr(clause, "negative", False)
    if negative:
        said = "cannot" if auxiliary == "can" else f"{auxiliary} not"
    else:
        said = auxiliary
    if said and not re.search(rf"\b{said}\b", line, re.IGNORECASE):
        yield f"expected {said!r}"
    if verb and not re.search(rf"\b{verb}\b", line, re.IGNORECASE):
        yield f"expected {verb!r}"
    if not auxiliary and re.search(r"\b(do|does|did|not)\b", line):
        yield "do without need"


def test_every_english_verb_agrees_with_its_subject() -> None:
    wrong = []
    for made in everything():
        meaning, lines = made.meaning, [made.english.rstrip(".?")]
        if meaning.second is not None:
            lines = re.split(" (?:and|but|because) ", lines[0], maxsplit=1)
        clauses = [clause for clause in (meaning.first, meaning.second) if clause is not None]
        for clause, line in zip(clauses, lines, strict=True):
            if hasattr(clause, "polite"):
                continue
            wrong += [f"{made.english} | {fault}" for fault in faults(clause, line)]
    assert not wrong, "\n".join([f"{len(wrong)} faults", *wrong[:20]])


def test_a_and_an_stand_before_the_right_sounds() -> None:
    wrong = re.compile(r"\b(?:a (?:[aeiou]|honest)|an (?:[^aeiouh]|h(?!onest)))", re.IGNORECASE)
    assert [made.english for made in everything() if wrong.search(made.english)] == []


def test_one_stands_with_a_singular_and_many_with_a_plural() -> None:
    plural = "boys|girls|men|women|children|books|apples|mangoes|cities|knives|boxes|mice|stories"
    singular = "boy|girl|man|woman|child|book|apple|mango|city|knife|box|mouse|story"
    many = "these|those|two|three|four|five|six|seven|eight|nine|ten|many"
    wrong = re.compile(rf"\b(?:this|an?) (?:{plural})\b|\b(?:{many}) (?:{singular})\b", re.IGNORECASE)
    right = re.compile(rf"\b(?:this|an?) (?:{singular})\b|\b(?:{many}) (?:{plural})\b", re.IGNORECASE)
    assert [made.english for made in everything() if wrong.search(made.english)] == []
    assert sum(bool(right.search(made.english)) for made in everything()) > 1500
