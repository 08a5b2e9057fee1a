"""The first view: a sentence is typed, its translation appears, curves say where the decoder looked."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from glassformer.translation import Translator

from .conftest import SENTENCE, Opened

pytestmark = pytest.mark.slow


def test_a_sentence_that_is_typed_is_translated_as_python_translates_it(
    explored: Opened, translator: Translator
) -> None:
    page = explored.open()
    page.fill("#q", "I like pizza")
    page.keyboard.press("Enter")
    explored.settle()
    expected = translator.translate("I like pizza")
    assert explored.texts(".target[lang]") == [expected.text]
    assert f"{expected.score:.3f}" in page.inner_text(".answer")
    assert explored.texts("g.source") == ["i", "like", "pizza", "end"]
    assert explored.texts("g.target") == ["मुझे", "पिज़्ज़ा", "पसंद", "है", "end"]
    assert "q=I+like+pizza" in page.url


def test_a_word_says_what_it_looked_at_and_stays_chosen_when_pinned(explored: Opened, translator: Translator) -> None:
    page = explored.open("view=translate&q=I+like+pizza&head=1&attention=decoder.0.cross")
    translation = translator.translate("I like pizza", attention="all")
    row = translation.attention["decoder.0.cross"][1][translation.target_tokens.index("▁पिज़्ज़ा")]
    most = ["i", "like", "pizza", "end"][int(np.argmax(row))]
    # What cannot be pressed is no button.
    assert page.get_by_role("img", name="pizza was looked at by").count() == 1
    token = page.get_by_role("button", name="पिज़्ज़ा, chosen with")
    assert f"looked at {most} {round(100 * float(row.max()))} %" in (token.get_attribute("aria-label") or "")
    token.focus()
    page.keyboard.press("Enter")
    assert token.get_attribute("aria-pressed") == "true"
    assert "place=1" in page.url
    page.reload()
    page.wait_for_selector('g.target[aria-pressed="true"]')


def test_subwords_come_apart_and_a_vowel_sign_without_its_letter_stands_on_a_circle(explored: Opened) -> None:
    page = explored.open("view=translate&q=Rosalind")
    whole = explored.texts("g.source")
    page.get_by_label("Join subwords into words").uncheck()
    assert len(explored.texts("g.source")) > len(whole)
    assert page.locator("g.target text").first.get_attribute("lang") == "hi"
    # No vowel sign stands alone.
    assert not any("\u093e" <= label[0] <= "\u094d" for label in explored.texts("g.target"))


def test_a_character_nobody_knows_stands_as_one_sign_in_its_word(explored: Opened) -> None:
    page = explored.open("view=translate&q=I+like+dog\u2603+and+\u2603\u2603")
    assert explored.texts("g.source") == ["i", "like", "dog\ufffd", "and", "unknown", "end"]
    page.get_by_label("Join subwords into words").uncheck()
    assert "unknown" in explored.texts("g.source")
    assert "<unk>" not in page.inner_text("main")


def test_in_a_long_sentence_what_a_word_looked_at_stays_in_view(explored: Opened) -> None:
    page = explored.open("view=translate&q=" + "+and+".join(["the+dog+likes+the+small+house"] * 6))
    page.locator("g.source").last.hover()
    said: Any = page.locator(".said").bounding_box()
    assert page.locator(".said").inner_text().startswith("end was looked at by")
    assert 0 <= said["y"] < 40
    # Both columns end at the same height, however many words they have.
    ends = [page.locator(f"g.{side}").last.bounding_box() for side in ("source", "target")]
    assert page.locator("g.source").count() != page.locator("g.target").count()
    assert abs(ends[0]["y"] - ends[1]["y"]) < 3


def test_all_heads_have_a_colour_each(explored: Opened) -> None:
    page = explored.open("view=translate&q=I+like+pizza&head=all")
    strokes = page.evaluate(
        "[...new Set([...document.querySelectorAll('figure path')].map(p => getComputedStyle(p).stroke))]"
    )
    assert len(strokes) == 4


def test_the_translation_is_written_token_by_token(browser: Any, explorer_address: str) -> None:
    context = browser.new_context(reduced_motion="no-preference")
    page = context.new_page()
    page.goto(f"{explorer_address}#view=translate&q={SENTENCE.replace(' ', '+')}")
    page.wait_for_selector("g.source")
    counts = [page.locator("g.target").count()]
    while counts[-1] < 10:
        page.wait_for_timeout(50)
        counts.append(page.locator("g.target").count())
    assert len(set(counts)) > 3
    assert counts == sorted(counts)
    context.close()


def test_errors_are_sentences(explored: Opened) -> None:
    page = explored.open("view=translate&q=I+like+pizza")
    page.goto(f"{explored.address}#view=translate&q=I+like+pizza&off=decoder.7.cross:1")
    page.wait_for_selector("[role=alert]")
    assert "decoder.7.cross" in page.inner_text("[role=alert]")
    # The browser's own line about the answer's status is no fault of the page.
    explored.faults = [fault for fault in explored.faults if "400" not in fault]


def test_the_way_by_tab_goes_from_the_sentence_through_the_views_to_every_word(explored: Opened) -> None:
    page = explored.open("view=translate&q=I+like+pizza")
    seen: list[str] = []
    for _ in range(40):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()"))
    for wanted in ("q", "Translate", "Heads", "What if", "pizza", "मुझे"):
        assert wanted in seen


def test_words_the_training_never_had_are_named(explored: Opened, translator: Translator) -> None:
    page = explored.open("view=translate&q=I+like+zebras")
    assert translator.translate("I like zebras").unseen_words == ("zebras",)
    assert "never seen in training: zebras" in page.inner_text(".answer")


def test_a_screenshot_can_be_taken_in_light_and_dark(browser: Any, explorer_address: str, tmp_path: Path) -> None:
    pixels = {}
    for scheme in ("light", "dark"):
        opened = Opened(browser, explorer_address, scheme=scheme)
        page = opened.open(f"view=translate&q={SENTENCE.replace(' ', '+')}")
        page.screenshot(path=tmp_path / f"{scheme}.png")
        pixels[scheme] = page.evaluate("getComputedStyle(document.body).backgroundColor")
        opened.context.close()
    assert pixels["light"] != pixels["dark"]
