"""What if: heads off, layers skipped, words hidden; what it does to the translation, its score and its attention."""

import re
from collections import Counter

import numpy as np
import pytest

from glassformer.nn import Edits
from glassformer.translation import Translator

from .conftest import SENTENCE, Opened
from .test_beams import number

pytestmark = pytest.mark.slow

VIEW = f"view=whatif&q={SENTENCE.replace(' ', '+')}"
HEAD = "Switch off head 4 of decoder layer 2, cross-attention"


def press(opened: Opened, name: str) -> None:
    """Press a switch of the board. (The ranking has rows of like names, which go on.)"""
    opened.page.get_by_role("button", name=name, exact=True).click()
    opened.settle()


def written(opened: Opened) -> list[str]:
    """The translations of the whole model and of the changed one, as they stand below each other."""
    return [" ".join(text.split()) for text in opened.texts("main dd[lang=hi]")]


def numbers(opened: Opened) -> dict[str, list[str]]:
    """The rows before, after, difference."""
    rows = [row.split("\t") for row in opened.texts("tbody tr")]
    return {name: [cell.strip() for cell in cells] for name, *cells in rows}


def test_a_head_switched_off_shows_what_python_says_before_and_after(explored: Opened, translator: Translator) -> None:
    page = explored.open(VIEW)
    whole = translator.explain(SENTENCE)
    changed = translator.explain(SENTENCE, edits=Edits(heads_off={"decoder.1.cross": [3]}))
    press(explored, HEAD)
    assert page.get_by_role("button", name=HEAD, exact=True).get_attribute("aria-pressed") == "true"
    assert written(explored) == [whole.text, changed.text]
    for name, before, after in (
        ("score", whole.score, changed.score),
        ("log-probability", whole.logprob, changed.logprob),
    ):
        shown = numbers(explored)[name]
        assert shown[:2] == [number(before), number(after)]
        assert shown[2].split()[-1].lstrip("+") == number(after - before)
    assert "off=decoder.1.cross%3A3" in page.url
    page.reload()
    explored.settle()
    page.wait_for_selector("main dd[lang=hi]")
    assert written(explored) == [whole.text, changed.text]


def test_what_went_is_struck_and_what_came_is_underlined(explored: Opened, translator: Translator) -> None:
    page = explored.open(VIEW)
    press(explored, "Hide dog")
    before = translator.explain(SENTENCE).text.split()
    hidden = translator.explain(SENTENCE, edits=Edits(source_hidden=[SENTENCE.split().index("dog")]))
    after = hidden.text.split()
    struck, added = explored.texts("main del"), explored.texts("main ins")
    assert struck or added
    # Taking away what is struck and what is underlined leaves the same words of both.
    assert Counter(before) - Counter(struck) == Counter(after) - Counter(added)
    assert Counter(struck) <= Counter(before)
    assert Counter(added) <= Counter(after)
    assert not set(struck) & set(added)
    for selector, line in (("del", "line-through"), ("ins", "underline")):
        for element in page.locator(f"main {selector}").all():
            assert element.evaluate("e => getComputedStyle(e).textDecorationLine") == line
    assert f"{len(struck)} word" in page.inner_text(".verdict")


def test_a_word_is_hidden_whole_and_the_last_one_is_not(explored: Opened, translator: Translator) -> None:
    page = explored.open("view=whatif&q=I+like+Rosalind")
    translation = translator.explain("I like Rosalind")
    last = max(number for number in translation.source_words[:-1])
    places = [place for place, word in enumerate(translation.source_words) if word == last]
    assert len(places) > 1
    press(explored, "Hide rosalind")
    assert f"hide={'%2C'.join(map(str, places))}" in page.url
    press(explored, "Hide like")
    address = page.url
    press(explored, "Hide i")
    assert page.url == address
    assert "“i” stays" in page.inner_text("main [role=status]")
    assert page.get_by_role("button", name="Hide i", exact=True).get_attribute("aria-pressed") == "false"
    hidden = Edits(source_hidden=[1, *places])
    assert written(explored)[1] == translator.explain("I like Rosalind", edits=hidden).text


def test_a_layer_is_skipped_and_every_change_can_be_taken_back(explored: Opened, translator: Translator) -> None:
    page = explored.open(VIEW)
    whole = translator.explain(SENTENCE)
    skipped = translator.explain(SENTENCE, edits=Edits(layers_skipped=["decoder.0"]))
    press(explored, "Skip decoder layer 1")
    assert numbers(explored)["log-probability"][:2] == [number(whole.logprob), number(skipped.logprob)]
    assert "skip=decoder.0" in page.url
    press(explored, HEAD)
    press(explored, "Undo")
    assert numbers(explored)["log-probability"][1] == number(skipped.logprob)
    press(explored, "Undo")
    assert numbers(explored)["log-probability"][1:] == [number(whole.logprob), "0.000"]
    assert "skip=" not in page.url
    press(explored, "Skip decoder layer 1")
    press(explored, "All on again")
    assert "skip=" not in page.url
    press(explored, "Undo")
    assert "skip=decoder.0" in page.url


def test_heads_are_ranked_by_what_the_translation_loses_without_them(explored: Opened, translator: Translator) -> None:
    page = explored.open(VIEW)
    page.wait_for_selector("g.head")
    whole = translator.explain(SENTENCE, include=("head_effects",))
    drops = {(effect.attention, effect.head): whole.logprob - effect.logprob for effect in whole.head_effects}
    rows = page.locator("g.head")
    assert rows.count() == len(drops) == 24
    shown = page.locator("g.head .number").all_text_contents()
    assert shown == [number(drop) for drop in sorted(drops.values(), reverse=True)]
    (attention, head), drop = max(drops.items(), key=lambda item: item[1])
    label = rows.first.get_attribute("aria-label") or ""
    stack, layer, kind = attention.split(".")
    assert f"head {head + 1} of {stack} layer {int(layer) + 1}, {kind}-attention" in label
    assert f"falls by {number(drop)}" in label
    rows.first.focus()
    page.keyboard.press("Enter")
    explored.settle()
    assert f"off={attention}%3A{head}" in page.url
    # The ranking is the whole model's: it stays while one plays with its rows.
    assert rows.first.get_attribute("aria-pressed") == "true"
    assert page.locator("g.head .number").all_text_contents() == shown
    page.get_by_role("button", name="as it is now").click()
    now = translator.explain(SENTENCE, edits=Edits(heads_off={attention: [head]}), include=("head_effects",))
    drops = {(effect.attention, effect.head): now.logprob - effect.logprob for effect in now.head_effects}
    assert page.locator("g.head .number").all_text_contents() == [
        number(drop) for drop in sorted(drops.values(), reverse=True)
    ]


def test_where_attention_moved_is_said_in_words_with_pythons_numbers(explored: Opened, translator: Translator) -> None:
    page = explored.open(f"{VIEW}&attention=decoder.1.cross&head=1&words=0&skip=encoder.1")
    before = translator.explain(SENTENCE)
    after = translator.explain(SENTENCE, edits=Edits(layers_skipped=["encoder.1"]))
    # The same tokens, so that rows stand for the same words.
    assert before.target_tokens == after.target_tokens
    old, new = before.attention["decoder.1.cross"][1], after.attention["decoder.1.cross"][1]
    row, column = np.unravel_index(np.argmax(np.abs(new - old)), old.shape)
    first = " ".join(page.locator("main ol li").first.inner_text().split())
    source, target = before.source_tokens[column].strip("▁"), before.target_tokens[row].strip("▁")
    assert first.startswith(f"{target} looks at {source}".replace("</s>", "end"))
    assert re.findall(r"\d+ %", first) == [f"{100 * weights[row, column]:.0f} %" for weights in (old, new)]
    framed = page.locator("figure rect.moved").count()
    assert framed == 2 * int((np.abs(new - old) >= 0.1).sum())


@pytest.mark.parametrize("view", ["translate", "heads", "arithmetic", "whatif"])
def test_without_any_layer_the_views_say_why_there_is_no_attention(explored: Opened, view: str) -> None:
    page = explored.open(f"view={view}&q=I+like+pizza&skip=encoder.0,encoder.1,decoder.0,decoder.1")
    text = page.inner_text("main")
    assert "layers are skipped, and" in text
    assert "made without its attention" not in text
    assert page.get_by_role("combobox", name="Attention").count() == 0


def test_words_of_a_text_in_several_pieces_cannot_be_hidden(explored: Opened) -> None:
    page = explored.open("view=whatif&q=" + "+".join(["he+is"] * 150))
    words = page.get_by_role("group", name="Words to hide").get_by_role("button")
    assert words.first.is_disabled()
    assert "words can be hidden only in what the model reads at once" in page.inner_text("main")


def test_in_a_file_nothing_can_be_switched_and_the_page_says_so(opened_file: Opened) -> None:
    page = opened_file.open("view=whatif")
    assert page.get_by_role("button", name=HEAD, exact=True).is_disabled()
    assert page.get_by_role("button", name="Hide dog").is_disabled()
    assert "glassformer explore" in page.inner_text("main")
