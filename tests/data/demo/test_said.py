"""Meanings built by hand, and how each language says them. The Hindi is a speaker's, not the grammar's."""

import pytest

from glassformer.data.demo import english, hindi
from glassformer.data.demo.lexicon import ADJECTIVES, ADVERBS, COMPARATIVES, NOUNS, PRONOUNS, Adjective, Verb, verbs
from glassformer.data.demo.meaning import (
    HOW_MANY,
    WHAT,
    WHO,
    Being,
    Clause,
    Command,
    Couple,
    Doing,
    Existing,
    Feeling,
    Having,
    It,
    Needing,
    NounPhrase,
    Place,
    Pointing,
    Preposition,
    Sentence,
)

ME, WE, YOU, HE, SHE, THEY = (PRONOUNS[word] for word in ("I", "we", "you", "he", "she", "they"))
IN, ON, TO = Preposition("in", "में"), Preposition("on", "पर"), Preposition("to", "")


def name(english: str) -> NounPhrase:
    return NounPhrase(NOUNS[english])


def the(english: str, number: str = "sg", **more: object) -> NounPhrase:
    return NounPhrase(NOUNS[english], number, "the", **more)  # type: ignore[arg-type]


def a(english: str, adjective: Adjective | None = None) -> NounPhrase:
    return NounPhrase(NOUNS[english], "sg", "a", None, adjective)


def some(english: str) -> NounPhrase:
    return NounPhrase(NOUNS[english], "pl" if NOUNS[english].plural else "sg")


def my(english: str, owner: str = "I", number: str = "sg") -> NounPhrase:
    return NounPhrase(NOUNS[english], number, "", PRONOUNS[owner])  # type: ignore[arg-type]


def verb(english: str, *, of_people: bool = False) -> Verb:
    return next(verb for verb in verbs(english) if bool(verb.marker) == of_people)


def adjective(english: str, of: str = "thing") -> Adjective:
    words = [word for word in (*ADJECTIVES, *COMPARATIVES) if word.english == english]
    return next((word for word in words if of in word.describes), words[0])


SAID: list[tuple[Clause, str, str]] = [
    # Like, love, want, find: the one who feels is marked with को, and the verb agrees with the thing.
    (Feeling(who=ME, verb="like", thing=name("pizza")), "I like pizza.", "मुझे पिज़्ज़ा पसंद है।"),
    (Feeling(who=name("Pramod"), verb="love", thing=name("pizza")),
     "Pramod loves pizza.", "प्रमोद को पिज़्ज़ा बहुत पसंद है।"),
    (Feeling(who=WHO, verb="love", thing=name("pizza")), "Who loves pizza?", "किसे पिज़्ज़ा बहुत पसंद है?"),
    (Feeling(who=SHE, verb="like", thing=some("apple"), negative=True),
     "She does not like apples.", "उसे सेब पसंद नहीं हैं।"),
    (Feeling(who=the("boy"), verb="want", thing=a("pen")),
     "The boy wants a pen.", "लड़के को एक पेन चाहिए।"),
    (Feeling(who=THEY, verb="find", thing=the("key", "pl"), tense="past"),
     "They found the keys.", "उन्हें चाबियाँ मिलीं।"),
    # The past: ने, and agreement with the object.
    (Doing(subject=name("Ravi"), verb=verb("eat"), tense="past", object=name("bread")),
     "Ravi ate bread.", "रवि ने रोटी खाई।"),
    (Doing(subject=ME, verb=verb("read"), tense="past", object=the("book", "pl")),
     "I read the books.", "मैंने किताबें पढ़ीं।"),
    (Doing(subject=SHE, verb=verb("buy"), tense="perfect", object=some("shoe")),
     "She has bought shoes.", "उसने जूते ख़रीदे हैं।"),
    (Doing(subject=the("girl", "pl"), verb=verb("see", of_people=True), tense="past", object=the("boy", "pl")),
     "The girls saw the boys.", "लड़कियों ने लड़कों को देखा।"),
    (Doing(subject=WE, verb=verb("see"), tense="past", object=the("cat")),
     "We saw the cat.", "हमने बिल्ली को देखा।"),
    (Doing(subject=WE, verb=verb("see"), tense="past", object=a("cat")),
     "We saw a cat.", "हमने एक बिल्ली देखी।"),
    (Doing(subject=SHE, verb=verb("bring"), tense="past", object=some("mango")),
     "She brought mangoes.", "वह आम लाई।"),
    (Doing(subject=the("woman", "pl"), verb=verb("go"), tense="past", place=Place(TO, the("market"))),
     "The women went to the market.", "औरतें बाज़ार गईं।"),
    (Doing(subject=name("Ravi"), verb=verb("help", of_people=True), tense="past", object=SHE),
     "Ravi helped her.", "रवि ने उसकी मदद की।"),
    (Doing(subject=name("Sita"), verb=verb("meet", of_people=True), tense="past", object=HE),
     "Sita met him.", "सीता उससे मिली।"),
    # Other tenses and moods.
    (Doing(subject=SHE, verb=verb("drink"), tense="habitual", object=name("tea"), time=ADVERBS["every day"]),
     "She drinks tea every day.", "वह रोज़ चाय पीती है।"),
    (Doing(subject=HE, verb=verb("drink"), tense="habitual", object=name("milk"), time=ADVERBS["never"]),
     "He never drinks milk.", "वह कभी दूध नहीं पीता है।"),
    (Doing(subject=ME, verb=verb("write"), tense="progressive", object=a("letter")),
     "I am writing a letter.", "मैं एक चिट्ठी लिख रहा हूँ।"),
    (Doing(subject=YOU, verb=verb("come"), tense="future", time=ADVERBS["tomorrow"], asked="whether"),
     "Will you come tomorrow?", "क्या आप कल आएँगे?"),
    (Doing(subject=my("mother"), verb=verb("sleep"), tense="was"),
     "My mother was sleeping.", "मेरी माँ सो रही थीं।"),
    (Doing(subject=my("father"), verb=verb("work"), tense="past"),
     "My father worked.", "मेरे पिता ने काम किया।"),
    (Doing(subject=Couple(name("Ravi"), name("Sita")), verb=verb("sing"), tense="can", object=a("song"), negative=True),
     "Ravi and Sita cannot sing a song.", "रवि और सीता गीत नहीं गा सकते हैं।"),
    (Doing(subject=Couple(name("Neha"), name("Sita")), verb=verb("run"), tense="past"),
     "Neha and Sita ran.", "नेहा और सीता दौड़ीं।"),
    (Doing(subject=HE, verb=verb("learn"), tense="should", object=name("Hindi")),
     "He should learn Hindi.", "उसे हिंदी सीखनी चाहिए।"),
    (Doing(subject=ME, verb=verb("open"), tense="must", object=the("door", "pl")),
     "I have to open the doors.", "मुझे दरवाज़े खोलने हैं।"),
    (Doing(subject=SHE, verb=verb("close"), tense="want", object=the("window"), negative=True),
     "She does not want to close the window.", "वह खिड़की बंद करना नहीं चाहती है।"),
    # Whose: one's own is अपना.
    (Doing(subject=name("Ravi"), verb=verb("wash"), tense="progressive", object=my("car", "he")),
     "Ravi is washing his car.", "रवि अपनी कार धो रहा है।"),
    (Doing(subject=name("Ravi"), verb=verb("wash"), tense="progressive", object=my("car", "she")),
     "Ravi is washing her car.", "रवि उसकी कार धो रहा है।"),
    (Doing(subject=SHE, verb=verb("give"), tense="past", object=the("flower", "pl"), recipient=my("brother", "she")),
     "She gave the flowers to her brother.", "उसने अपने भाई को फूल दिए।"),
    # Questions with a question word.
    (Doing(subject=WHO, verb=verb("make"), tense="past", object=name("tea")),
     "Who made tea?", "किसने चाय बनाई?"),
    (Doing(subject=name("Sita"), verb=verb("eat"), tense="past", object=WHAT),
     "What did Sita eat?", "सीता ने क्या खाया?"),
    (Doing(subject=YOU, verb=verb("wait", of_people=True), tense="progressive", object=WHO),
     "Who are you waiting for?", "आप किसका इंतज़ार कर रहे हैं?"),
    (Doing(subject=name("Ravi"), verb=verb("live"), tense="habitual", asked="where"),
     "Where does Ravi live?", "रवि कहाँ रहता है?"),
    (Doing(subject=SHE, verb=verb("buy"), tense="past", object=NounPhrase(NOUNS["sari"], "pl", HOW_MANY)),
     "How many saris did she buy?", "उसने कितनी साड़ियाँ ख़रीदीं?"),
    # Commands.
    (Command(verb=verb("open"), polite=False, object=the("door")), "Open the door.", "दरवाज़ा खोलो।"),
    (Command(verb=verb("open"), polite=False, object=the("door"), negative=True),
     "Do not open the door.", "दरवाज़ा मत खोलो।"),
    (Command(verb=verb("read"), polite=True, object=my("book", "you")),
     "Please read your book.", "कृपया अपनी किताब पढ़िए।"),
    (Command(verb=verb("put"), polite=False, object=the("cup"), place=Place(ON, the("table"))),
     "Put the cup on the table.", "प्याला मेज़ पर रखो।"),
    # Being and having.
    (Being(subject=name("Sita"), complement=adjective("tall", "named")), "Sita is tall.", "सीता लंबी है।"),
    (Being(subject=the("tree", "pl"), complement=adjective("tall", "high"), tense="past"),
     "The trees were tall.", "पेड़ ऊँचे थे।"),
    (Being(subject=my("grandmother"), complement=adjective("old", "person")),
     "My grandmother is old.", "मेरी दादी बूढ़ी हैं।"),
    (Being(subject=the("house"), complement=adjective("old", "place"), asked="whether"),
     "Is the house old?", "क्या घर पुराना है?"),
    (Being(subject=name("Ravi"), complement=adjective("taller", "named"), than=my("brother")),
     "Ravi is taller than my brother.", "रवि मेरे भाई से लंबा है।"),
    (Being(subject=the("shirt", "pl"), complement=Place(IN, NounPhrase(NOUNS["box"], "sg", "this"))),
     "The shirts are in this box.", "कमीज़ें इस डिब्बे में हैं।"),
    (Being(subject=my("shoe", number="pl"), complement=None, asked="where"),
     "Where are my shoes?", "मेरे जूते कहाँ हैं?"),
    (Pointing(near=False, thing=my("book", "they")), "That is their book.", "वह उनकी किताब है।"),
    (Pointing(near=True, thing=NounPhrase(NOUNS["shoe"], "pl", "", WHO)),
     "Whose shoes are these?", "ये किसके जूते हैं?"),
    (Existing(thing=NounPhrase(NOUNS["bird"], "pl", "two"), place=Place(ON, the("roof"))),
     "There are two birds on the roof.", "छत पर दो चिड़ियाँ हैं।"),
    (Having(owner=ME, thing=a("car", adjective("new"))), "I have a new car.", "मेरे पास एक नई कार है।"),
    (Having(owner=the("boy"), thing=a("ball"), negative=True),
     "The boy does not have a ball.", "लड़के के पास गेंद नहीं है।"),
    (Having(owner=name("Ravi"), thing=a("sister")), "Ravi has a sister.", "रवि की एक बहन है।"),
    (Needing(who=HE, what="hungry", tense="past"), "He was hungry.", "उसे भूख लगी थी।"),
]  # fmt: skip


@pytest.mark.parametrize(("meant", "in_english", "in_hindi"), SAID, ids=[line for _, line, _ in SAID])
def test_a_clause_is_said_as_a_speaker_says_it(meant: Clause, in_english: str, in_hindi: str) -> None:
    said = Sentence("by hand", meant)
    assert (english.sentence(said), hindi.sentence(said)) == (in_english, in_hindi)


def test_bark_is_very_cute_and_he_is_a_dog() -> None:
    cute = Being(subject=name("Bark"), complement=adjective("cute"), very=True)
    dog = Being(subject=HE, complement=a("dog"))
    said = Sentence("by hand", cute, "and", dog)
    assert english.sentence(said) == "Bark is very cute and he is a dog."
    assert hindi.sentence(said) == "बार्क बहुत प्यारा है और वह एक कुत्ता है।"


def test_it_keeps_the_gender_of_what_it_stands_for() -> None:
    for thing, line in (("car", "कार पुरानी है लेकिन वह अच्छी है।"), ("house", "घर पुराना है लेकिन वह अच्छा है।")):
        old = Being(subject=the(thing), complement=adjective("old", "thing"))
        good = Being(subject=It(the(thing).agreement), complement=adjective("good"))
        assert hindi.sentence(Sentence("by hand", old, "but", good)) == line


def test_because_joins_a_reason() -> None:
    gone = Doing(subject=SHE, verb=verb("go"), tense="past", place=Place(TO, name("school")), negative=True)
    ill = Being(subject=SHE, complement=adjective("ill"), tense="past")
    said = Sentence("by hand", gone, "because", ill)
    assert english.sentence(said) == "She did not go to school because she was ill."
    assert hindi.sentence(said) == "वह स्कूल नहीं गई क्योंकि वह बीमार थी।"
