"""The way through: the diagram and its parts, the words' likeness, positions, and what a file can still show."""

import math
import re
from typing import Any

import pytest
import torch
from torch.nn import functional as F

from glassformer.nn import Trace
from glassformer.server.model import describe
from glassformer.translation import Translator

from .conftest import SENTENCE, Opened

pytestmark = pytest.mark.slow


def numbers_of(text: str) -> list[float]:
    """The numbers in a text, its minus being the typographic one."""
    return [float(number) for number in re.findall(r"-?\d+\.\d+", text.replace("−", "-"))]


def cosines(translator: Translator, source: str, name: str) -> torch.Tensor:
    """How alike the vectors of an activation are, by torch, from one pass over what the model answers."""
    model, tokenizer = translator.model, translator.tokenizer
    src = torch.tensor([tokenizer.encode_source(source)])
    target = tokenizer.encode_target(translator.translate(source).text)
    tgt_in = torch.tensor([[model.config.decoder_start_id, *target[:-1]]])
    trace = Trace(also=("activations",))
    with torch.no_grad():
        model(src, tgt_in, trace=trace)
    x = trace.activations[name][0]
    return F.cosine_similarity(x[:, None], x[None], dim=-1)


def test_every_part_of_the_diagram_is_chosen_by_key_and_explained(explored: Opened, translator: Translator) -> None:
    page = explored.open("view=way")
    described = {part["id"]: part for part in describe(translator)["parts"]}
    drawn = page.eval_on_selector_all("[data-part]", "found => [...new Set(found.map(e => e.dataset.part))]")
    assert set(drawn) == set(described)
    for name in drawn:
        first = page.locator(f'[data-part="{name}"]').first
        first.focus()
        page.keyboard.press("Enter")
        part = described[name]
        assert page.locator("#part-title").inner_text() == part["title"]
        pressed = page.eval_on_selector_all(
            '[data-part][aria-pressed="true"]', "found => found.map(e => e.dataset.part)"
        )
        assert set(pressed) == {name}
        assert f"part={name}" in page.url
        shown = page.locator(".detail").first.inner_text()
        for words in (part["what"], part["source"]["file"], f"lines {part['source']['first']} to"):
            assert words in shown
        assert f"glassformer course lesson {part['stage']['number']}" in shown
        assert page.locator(".code code").text_content() == part["source"]["code"]
        if part["parameters"]:
            assert f"{part['parameters']:,}" in shown


def test_the_diagram_has_the_real_tokens_and_the_real_shapes(explored: Opened, translator: Translator) -> None:
    page = explored.open("view=way&q=I+like+pizza")
    translation = translator.translate("I like pizza")
    places, written = len(translation.source_tokens), len(translation.target_tokens)
    assert places != written, "choose another sentence: the two sides could be swapped unseen"
    drawing = page.locator("figure:has([data-part]) svg").first
    texts = drawing.locator("text").all_text_contents()
    for shape in (f"{places} × 128", f"{written} × 128", f"{written} × 2,500", "2 × encoder layer", "4 heads of 32"):
        assert shape in texts, shape
    groups = drawing.locator('[data-part="tokens"]')
    said = [groups.nth(i).get_attribute("aria-label") for i in range(groups.count())]
    assert said == [
        "Tokens: i like pizza end",
        "Tokens: start मुझे पिज़्ज़ा पसंद है",
        "Tokens: मुझे पिज़्ज़ा पसंद है end",
    ]


def test_a_skipped_layer_is_marked_and_positions_are_the_papers(explored: Opened) -> None:
    page = explored.open("view=way&skip=encoder.1")
    assert page.get_by_role("button", name="2 × encoder layer · 1 skipped").count() == 1
    image = page.locator("figure:has(image)").last.locator("image")
    image.scroll_into_view_if_needed()
    box: Any = image.bounding_box()
    rows, columns, place, column = 24, 128, 5, 6
    page.mouse.move(box["x"] + (column + 0.5) / columns * box["width"], box["y"] + (place + 0.5) / rows * box["height"])
    read = page.get_by_text(f"place {place} (he), dimension {column}:").inner_text()
    assert numbers_of(read) == pytest.approx([math.sin(place / 10000 ** (column / 128))], abs=0.0006)


def test_the_likeness_of_words_is_that_of_their_vectors(explored: Opened, translator: Translator) -> None:
    page = explored.open("view=way")
    before, after = cosines(translator, SENTENCE, "encoder.embedding"), cosines(translator, SENTENCE, "encoder.1")
    sentence = page.locator(".said").first.inner_text()
    he, bark = 5, 0
    assert sentence.startswith("“he” and “bark”:")
    closest = max(after[he, k].item() for k in range(10) if k != he)
    expected = [before[he, bark].item(), after[he, bark].item(), closest]
    assert numbers_of(sentence) == pytest.approx(expected, abs=0.0051)

    page.get_by_role("group", name="Whose vectors").get_by_role("button", name="Decoder").click()
    page.get_by_role("group", name="The word to compare").get_by_role("button").nth(6).click()
    page.locator("summary").click()
    wanted = cosines(translator, SENTENCE, "decoder.0")
    rows = page.locator("table.likeness tbody tr")
    assert rows.count() == wanted.size(0)
    shown = [numbers_of(rows.nth(k).locator("td").nth(1).inner_text())[0] for k in range(rows.count())]
    assert shown == pytest.approx(wanted[6].tolist(), abs=0.0011)


def test_what_is_chosen_is_in_the_address_and_survives_a_reload(explored: Opened) -> None:
    page = explored.open("view=way")
    page.locator('[data-part="projection"]').click()
    page.get_by_role("group", name="The word to compare").get_by_role("button", name="dog").click()
    page.get_by_role("button", name=re.compile("^cute ")).press("Enter")
    for wanted in ("part=projection", "place=8", "beside=3"):
        assert wanted in page.url
    sentence = page.locator(".said").first.inner_text()
    assert sentence.startswith("“dog” and “cute”:")
    page.reload()
    page.wait_for_selector(".said")
    explored.settle()
    assert page.locator("#part-title").inner_text() == "Projection"
    assert page.locator(".said").first.inner_text() == sentence


def test_on_a_narrow_screen_nothing_is_cut_and_the_text_comes_into_view(browser: Any, explorer_address: str) -> None:
    opened = Opened(browser, explorer_address, width=360, height=740)
    page = opened.open("view=way")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    wide = page.eval_on_selector_all("figure .scroll", "all => all.map(e => e.scrollWidth - e.clientWidth)")
    assert max(wide) <= 0
    page.locator('[data-part="search"]').click()
    assert 0 <= page.locator("#part-title").bounding_box()["y"] < 740
    page.get_by_role("button", name="Back to the diagram").click()
    assert page.locator('[data-part="search"]').bounding_box()["y"] < 740
    opened.context.close()
    assert opened.faults == []


def test_a_file_without_the_model_still_shows_the_diagram_and_says_what_is_missing(opened_file: Opened) -> None:
    page = opened_file.open("view=way")
    drawing = page.locator("figure:has([data-part]) svg").first
    assert "10 × 128" in drawing.locator("text").all_text_contents()
    text = page.locator("main").inner_text()
    for missing in (
        "its lines in the source are not in this file",
        "The table of positions is not in this file",
        "This file came without the comparisons",
    ):
        assert missing in text
