"""The arithmetic: one look-up step by step; every number on the page is one that Python has."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from glassformer.nn import Edits
from glassformer.translation import Translator
from glassformer.translation.inside import Head

from .conftest import SENTENCE, Opened

pytestmark = pytest.mark.slow

Q = SENTENCE.replace(" ", "+")


def number(text: str) -> float:
    """A number as the page writes it, with a real minus."""
    return float(text.replace("−", "-").replace(",", ""))


def shown(opened: Opened, what: str) -> dict[int, float]:
    """The numbers of one column, by place: "dot", "score" ..."""
    opened.page.wait_for_selector(f"[data-{what}]")
    cells = opened.page.locator(f"[data-{what}]")
    return {
        int(cell.get_attribute(f"data-{what}")): number(cell.inner_text().removesuffix(" %")) for cell in cells.all()
    }


def shares(opened: Opened) -> list[float]:
    """The shares the page has computed, unrounded."""
    opened.page.wait_for_selector("[data-exact]")
    return [float(cell.get_attribute("data-exact")) for cell in opened.page.locator("[data-exact]").all()]


@pytest.mark.parametrize(
    ("attention", "head", "place"), [("encoder.1.self", 1, 5), ("decoder.0.self", 2, 4), ("decoder.1.cross", 3, 7)]
)
def test_the_page_computes_the_shares_that_the_model_recorded(
    explored: Opened, translator: Translator, attention: str, head: int, place: int
) -> None:
    page = explored.open(f"view=arithmetic&q={Q}&attention={attention}&head={head}&place={place}")
    expected = translator.explain(SENTENCE, include=["attention"]).attention[attention][head][place]
    assert shares(explored) == pytest.approx(expected.tolist(), abs=1e-3)
    assert list(shown(explored, "recorded").values()) == pytest.approx((100 * expected).tolist(), abs=0.011)
    assert "The model recorded the same shares" in page.inner_text("main")


def test_dot_products_and_scores_are_those_of_the_queries_and_keys(explored: Opened, translator: Translator) -> None:
    page = explored.open(f"view=arithmetic&q={Q}&attention=encoder.1.self&head=1&place=5")
    (numbers,) = translator.explain(SENTENCE, heads=[Head("encoder.1.self", 1)]).arithmetic
    dots = numbers.keys @ numbers.queries[5]
    assert list(shown(explored, "dot").values()) == pytest.approx(dots.tolist(), abs=0.01)
    assert list(shown(explored, "score").values()) == pytest.approx((dots / np.sqrt(32)).tolist(), abs=0.01)
    assert "√32 = 5.66" in page.inner_text("main")
    # The sum spelled out for another word: all products are there, and are those of the two vectors.
    page.get_by_role("radio", name="Spell out the product with cute").check()
    page.get_by_text("All 32 products").click()
    products = [number(text.split("=")[1].strip()) for text in explored.texts("details ol li")]
    assert products == pytest.approx((numbers.keys[3] * numbers.queries[5]).tolist(), abs=0.006)
    assert page.locator(".sum strong").inner_text().replace("−", "-") == f"{float(dots[3]):.2f}"


def test_the_mixture_is_the_weighted_sum_of_the_values(explored: Opened, translator: Translator) -> None:
    page = explored.open(f"view=arithmetic&q={Q}&attention=decoder.1.cross&head=0&place=2")
    translation = translator.explain(SENTENCE, heads=[Head("decoder.1.cross", 0)])
    mixture = translation.attention["decoder.1.cross"][0][2] @ translation.arithmetic[0].values
    page.wait_for_selector(".mixture")
    label = page.locator(".mixture [role=img]").get_attribute("aria-label")
    first = [number(text) for text in re.findall(r"−?\d+\.\d\d", label)]
    assert first == pytest.approx(mixture[:6].tolist(), abs=0.006)


def test_what_may_not_be_seen_is_shown_as_hidden(explored: Opened, translator: Translator) -> None:
    page = explored.open(f"view=arithmetic&q={Q}&attention=decoder.0.self&head=1&place=3")
    assert shares(explored)[4:] == [0.0] * 6
    assert explored.texts("td.hidden") == ["hidden: not written yet"] * 6
    assert page.locator("tfoot").inner_text().split()[-2:] == ["100.00", "%"]
    explored.open(f"view=arithmetic&q={Q}&attention=encoder.0.self&head=1&place=3&hide=8")
    assert explored.texts("td.hidden") == ["hidden in What if"]
    edited = translator.explain(SENTENCE, edits=Edits(source_hidden=[8]), include=["attention"])
    assert shares(explored) == pytest.approx(edited.attention["encoder.0.self"][1][3].tolist(), abs=1e-3)


def test_arrow_keys_choose_another_word_and_the_address_keeps_it(explored: Opened, translator: Translator) -> None:
    page = explored.open(f"view=arithmetic&q={Q}&attention=encoder.1.self&place=5")
    # A mean of heads has no query: the first head is taken.
    page.wait_for_selector("[data-exact]")
    assert page.get_by_role("combobox", name="Head").input_value() == "0"
    page.locator(".chip input:checked").focus()
    page.keyboard.press("ArrowLeft")
    assert "place=4" in page.url
    weights = translator.explain(SENTENCE, include=["attention"]).attention["encoder.1.self"]
    assert shares(explored) == pytest.approx(weights[0][4].tolist(), abs=1e-3)
    page.locator("label:has-text('Head') select").select_option(index=2)
    page.wait_for_selector("text=what head 3 found")
    assert shares(explored) == pytest.approx(weights[2][4].tolist(), abs=1e-3)
    page.reload()
    page.wait_for_selector("[data-exact]")
    assert shares(explored) == pytest.approx(weights[2][4].tolist(), abs=1e-3)


def test_of_many_words_the_tables_show_those_that_matter_until_all_are_asked_for(explored: Opened) -> None:
    text = "+and+".join(["the+tall+boy+reads+the+red+book+in+the+school"] * 6)
    page = explored.open(f"view=arithmetic&q={text}&attention=decoder.1.cross&head=1")
    some = shares(explored)
    assert len(some) == 14
    page.get_by_role("button", name="Show all").click()
    everything = shares(explored)
    assert len(everything) > 60
    assert sum(everything) == pytest.approx(1, abs=1e-3)
    assert sorted(some)[-13:] == sorted(everything)[-13:]


def test_a_server_that_does_not_answer_is_a_sentence(explored: Opened) -> None:
    page = explored.open(f"view=arithmetic&q={Q}&attention=encoder.1.self&head=1")
    page.wait_for_selector("[data-exact]")
    explored.context.set_offline(True)
    page.locator("label:has-text('Head') select").select_option(index=3)
    assert "The server does not answer" in page.inner_text("main [role=alert]")
    # The browser's own line about the lost network is no fault of the page.
    explored.faults = [fault for fault in explored.faults if "ERR_INTERNET_DISCONNECTED" not in fault]


def test_a_file_shows_the_arithmetic_it_has_and_says_what_the_rest_needs(
    browser: Any, translator: Translator, tmp_path: Path
) -> None:
    path = tmp_path / "translation.html"
    translation = translator.explain(SENTENCE, heads=[Head("encoder.0.self", 2)])
    path.write_text(translation.to_html(), encoding="utf-8")
    opened = Opened(browser, path.as_uri(), offline=True)
    page = opened.open("view=arithmetic&attention=decoder.1.cross&head=1")
    assert "glassformer explore" in page.inner_text("main")
    page.get_by_role("button", name="In the file: Encoder layer 1, self-attention, head 3").click()
    expected = translation.attention["encoder.0.self"][2][8]
    assert shares(opened) == pytest.approx(expected.tolist(), abs=1e-3)
    assert opened.faults == []
    opened.context.close()
