"""The heads: thumbnails of all of them, one large, its weights as Python has them, by mouse, by keys and as a table."""

import re
from collections.abc import Sequence

import numpy as np
import pytest

from glassformer.translation import Translation, Translator

from .conftest import SENTENCE, Opened

pytestmark = pytest.mark.slow

Q = SENTENCE.replace(" ", "+")
SUBWORDS = "My+name+is+Rosalind"  # a name that the model knows only in pieces


def explained(translator: Translator, text: str) -> Translation:
    """What Python says of it."""
    return translator.explain(text, include=["attention"])


def joined(weights: np.ndarray, rows: Sequence[int], columns: Sequence[int]) -> np.ndarray:
    """Subwords of a word (one number each) joined: their rows averaged, their columns summed."""
    to_columns = np.array([[number == word for word in dict.fromkeys(columns)] for number in columns], dtype=float)
    to_rows = np.array([[number == word for number in rows] for word in dict.fromkeys(rows)], dtype=float)
    mixed: np.ndarray = (to_rows / to_rows.sum(1, keepdims=True)) @ weights @ to_columns
    return mixed


def numbers_of(opened: Opened) -> np.ndarray:
    """The table behind the map, opened and read."""
    opened.page.get_by_text("The numbers, as a table").click()
    opened.page.wait_for_selector("table tbody tr")
    texts = opened.page.locator("table tbody tr").all_inner_texts()
    return np.array([[float(number) for number in re.findall(r"\d+\.\d", text)] for text in texts])


def test_every_head_has_a_thumbnail_that_says_which_it_is(explored: Opened, translator: Translator) -> None:
    page = explored.open(f"view=heads&q={Q}")
    titles = {"encoder": "Encoder", "decoder": "Decoder", "self": "self-attention", "cross": "cross-attention"}
    for name, weights in explained(translator, SENTENCE).attention.items():
        stack, layer, kind = name.split(".")
        for head in range(len(weights)):
            title = f"Head {head + 1} of {titles[stack]} layer {int(layer) + 1}, {titles[kind]}."
            assert page.get_by_role("button", name=title).count() == 1
    assert explored.texts("main .grids h2") == ["Encoder self-attention", "Decoder self-attention", "Cross-attention"]


def test_arrow_keys_walk_about_the_heads_and_enter_opens_one_which_a_reload_keeps(explored: Opened) -> None:
    page = explored.open(f"view=heads&q={Q}&attention=encoder.0.self&head=0")
    page.get_by_role("button", name="Head 1 of Encoder layer 1").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft", "Enter"):
        page.keyboard.press(key)
    assert page.inner_text("#head-title") == "Encoder layer 2, self-attention: head 2"
    assert "attention=encoder.1.self" in page.url
    assert "head=1" in page.url
    # One stop for Tab in each kind of attention, not one for each of its heads.
    assert page.locator(".grids button[tabindex='0']").count() == 3
    page.reload()
    page.wait_for_selector("#head-title")
    assert page.get_by_role("button", name="Head 2 of Encoder layer 2").get_attribute("aria-pressed") == "true"


def test_a_cell_says_who_looks_at_whom_and_how_much(explored: Opened, translator: Translator) -> None:
    page = explored.open("view=heads&q=I+like+pizza&attention=decoder.0.cross&head=1&words=0")
    weights = explained(translator, "I like pizza").attention["decoder.0.cross"][1]
    rows, columns = ["मुझे", "पिज़्ज़ा", "पसंद", "है", "end"], ["i", "like", "pizza", "end"]

    def expected(row: int, column: int) -> str:
        return f"“{rows[row]}” looks at “{columns[column]}”: {round(100 * float(weights[row, column]))} %"

    page.get_by_role("application").focus()
    page.keyboard.press("PageUp")
    page.keyboard.press("Home")
    assert page.inner_text(".said") == expected(0, 0)
    for key, row, column in (("ArrowDown", 1, 0), ("ArrowRight", 1, 1), ("End", 1, 3), ("ArrowLeft", 1, 2)):
        page.keyboard.press(key)
        assert page.inner_text(".said") == expected(row, column)
    page.get_by_role("application").blur()
    page.locator("figure svg").scroll_into_view_if_needed()
    frame = page.locator("figure svg .frame").bounding_box()
    for row in range(5):
        x, y = frame["x"] + frame["width"] * 2.5 / 4, frame["y"] + frame["height"] * (row + 0.5) / 5
        page.mouse.move(x, y)
        assert page.inner_text(".said") == expected(row, 2)


def test_the_table_has_the_weights_apart_and_joined_into_words(explored: Opened, translator: Translator) -> None:
    translation = explained(translator, SUBWORDS.replace("+", " "))
    weights = np.asarray(translation.attention["decoder.1.cross"][2], dtype=float)
    assert len(set(translation.source_words)) < len(translation.source_words)
    explored.open(f"view=heads&q={SUBWORDS}&attention=decoder.1.cross&head=2&words=0")
    assert numbers_of(explored) == pytest.approx(100 * weights, abs=0.06)
    explored.open(f"view=heads&q={SUBWORDS}&attention=decoder.1.cross&head=2")
    expected = joined(weights, translation.target_words, translation.source_words)
    assert numbers_of(explored) == pytest.approx(100 * expected, abs=0.06)


def test_the_pattern_of_a_head_is_measured(explored: Opened, translator: Translator) -> None:
    page = explored.open(f"view=heads&q={Q}")
    attention = explained(translator, SENTENCE).attention
    names = [name for name in attention if name.startswith("decoder") and name.endswith("self")]
    # The decoder's own place holds the word written last; the first place has no choice.
    shares = {
        (name, head): float(np.diagonal(attention[name][head])[1:].mean())
        for name in names
        for head in range(len(attention[name]))
    }
    (name, head), share = max(shares.items(), key=lambda item: item[1])
    button = page.get_by_role("button", name=f"Head {head + 1} of Decoder layer {int(name.split('.')[1]) + 1}, self")
    sentence = f"Looks mostly at its own place, which holds the word just written: {round(100 * share)} %"
    assert sentence in (button.get_attribute("aria-label") or "")
    chip = page.locator(".filter button", has_text="the word just written")
    chip.click()
    assert page.locator(".box:not(.dim)").count() == int(chip.inner_text().split()[-1])
    chip.click()
    assert page.locator(".dim").count() == 0


def test_what_the_run_was_made_to_ignore_is_marked(explored: Opened) -> None:
    page = explored.open(
        f"view=heads&q={Q}&attention=decoder.1.cross&head=2&off=decoder.1.cross:2&hide=0&skip=encoder.1"
    )
    assert explored.texts(".off .pattern") == ["off"]
    assert "It is switched off" in page.inner_text(".large")
    assert "Encoder layer 2 is skipped" in page.inner_text(".grids")
    page.get_by_role("application").focus()
    page.keyboard.press("Home")
    assert page.inner_text(".said").endswith("may not look at “bark”: it was hidden in What if.")


def test_another_theme_paints_the_weights_anew(explored: Opened) -> None:
    page = explored.open(f"view=heads&q={Q}&head=1")
    painted = "[document.querySelector('figure image').getAttribute('href'), document.querySelector('.box img').src]"
    before = page.evaluate(painted)
    page.get_by_role("button", name="Use dark colours").click()
    after = page.evaluate(painted)
    assert before[0] != after[0]
    assert before[1] != after[1]


def test_a_file_shows_its_heads_without_a_model(opened_file: Opened) -> None:
    page = opened_file.open("view=heads&attention=decoder.0.self&head=3")
    assert page.inner_text("#head-title") == "Decoder layer 1, self-attention: head 4"
    page.get_by_role("application").focus()
    page.keyboard.press("PageUp")
    page.keyboard.press("End")
    assert page.inner_text(".said").endswith("it is not written yet.")
