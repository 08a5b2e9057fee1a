"""The search as a tree: every candidate with its numbers, why it was pruned, why the winner won, other searches."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from glassformer.translation import Translation, Translator
from glassformer.translation.findings import SearchTree

from .conftest import SENTENCE, Opened

pytestmark = pytest.mark.slow

Q = SENTENCE.replace(" ", "+")
LIGHT = "view=beams&q=I+like+pizza"


def number(value: float, digits: int = 3) -> str:
    """As the page writes it, with a true minus, and none on a zero."""
    return f"{value:z.{digits}f}".replace("-", "\N{MINUS SIGN}")


def searched(translation: Translation) -> SearchTree:
    assert translation.search is not None
    return translation.search


def candidates(page: Any) -> dict[int, str]:
    """What a screen reader is told of every candidate that is drawn, by its place in the search."""
    said: dict[str, str] = page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('[role=treeitem]')]"
        ".map(g => [g.dataset.at, g.getAttribute('aria-label')]))"
    )
    return {int(at): label for at, label in said.items() if at != "-1"}


def slide(opened: Opened, label: str, value: float) -> None:
    opened.page.get_by_label(label).fill(str(value))
    opened.settle()


def test_every_candidate_is_drawn_with_pythons_numbers(explored: Opened, translator: Translator) -> None:
    page = explored.open(LIGHT)
    search = searched(translator.explain("I like pizza"))
    said = candidates(page)
    assert sorted(said) == list(range(len(search.nodes)))
    way = {search.winner}
    while (parent := search.nodes[min(way)].parent) >= 0:
        way.add(parent)
    for at, node in enumerate(search.nodes):
        state = "the winner" if at == search.winner else "kept, on the winner's way" if at in way else node.state
        assert said[at].endswith(f", {state}, log-probability {number(node.logprob)}, score {number(node.score)}")
    assert said[search.winner].startswith("end,")
    assert said[0].startswith("मुझे,")
    assert page.locator("[role=treeitem] text[lang=hi]").count() == len(search.nodes)


def test_a_pruned_candidate_says_what_it_was_beaten_by_and_a_link_leads_to_it(
    explored: Opened, translator: Translator
) -> None:
    page = explored.open(LIGHT)
    search = searched(translator.explain("I like pizza"))
    pruned = next(at for at, node in enumerate(search.nodes) if node.state == "pruned" and node.step == 2)
    step = [node for node in search.nodes if node.step == 2]
    place = step.index(search.nodes[pruned]) + 1
    page.locator(f'[data-at="{pruned}"]').click()
    expected = f"It was candidate {place} of {len(step)} in step 2; only the best {search.beam_width} go on."
    assert expected in page.inner_text("main")
    assert number(min(node.logprob for node in step if node.state == "kept")) in page.inner_text("p.why")
    assert f"node={pruned}" in page.url
    page.reload()
    page.wait_for_selector(f'[data-at="{pruned}"][aria-selected=true]')
    assert expected in page.inner_text("p.why")


def test_arrow_keys_walk_from_parent_to_child_and_between_siblings(explored: Opened, translator: Translator) -> None:
    page = explored.open(LIGHT)
    search = searched(translator.explain("I like pizza"))
    page.locator(f'[data-at="{search.winner}"]').focus()

    def walked(key: str) -> int:
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.getAttribute('aria-selected')") == "true"
        return int(page.evaluate("document.activeElement.dataset.at"))

    parent = search.nodes[search.winner].parent
    assert walked("ArrowLeft") == parent
    assert walked("ArrowRight") == search.winner
    assert walked("Home") == -1
    first = walked("ArrowRight")
    assert first == 0
    sibling = walked("ArrowDown")
    assert (sibling, search.nodes[sibling].parent) == (1, -1)
    assert walked("ArrowUp") == first
    assert walked("End") == search.winner
    # One stop for Tab: the keys do the rest.
    assert page.locator("[role=treeitem][tabindex='0']").count() == 1


def test_the_winner_is_told_with_the_sum_that_made_it_win(explored: Opened, translator: Translator) -> None:
    page = explored.open(f"view=beams&q={Q}&beam=6&alpha=1.2")
    search = searched(translator.explain(SENTENCE, replace(translator.search, beam_width=6, alpha=1.2)))
    ended = sorted((node for node in search.nodes if node.state == "ended"), key=lambda node: -node.score)
    assert len(ended) > 1
    rows = [row.split("\t") for row in explored.texts("tbody tr")]
    assert [row[-1].strip() for row in rows] == [number(node.score) for node in ended]
    winner = ended[0]
    penalty = ((5 + winner.step) / 6) ** 1.2
    assert winner.score == pytest.approx(winner.logprob / penalty, abs=1e-5)
    formula = page.inner_text(".formula")
    for part in (number(winner.logprob), f"((5 + {winner.step}) / 6)1.2", f"{penalty:.3f}", number(winner.score)):
        assert part in formula
    assert search.reason in page.inner_text("main")


def test_sliders_search_again_and_go_back_to_the_runs_own(explored: Opened, translator: Translator) -> None:
    page = explored.open(f"view=beams&q={Q}")
    slide(explored, "Beam width", 2)
    slide(explored, "Length penalty", 0)
    search = searched(translator.explain(SENTENCE, replace(translator.search, beam_width=2, alpha=0.0)))
    assert sorted(candidates(page)) == list(range(len(search.nodes)))
    assert number(search.nodes[-1].score) in candidates(page)[len(search.nodes) - 1]
    assert "beam=2" in page.url
    assert "alpha=0" in page.url
    slide(explored, "Beam width", 1)
    greedy = searched(translator.explain(SENTENCE, replace(translator.search, beam_width=1, alpha=0.0)))
    assert len(candidates(page)) == len(greedy.nodes)
    page.get_by_role("button", name="Back to the run's own").click()
    explored.settle()
    assert len(candidates(page)) == len(searched(translator.explain(SENTENCE)).nodes)
    assert "beam=" not in page.url


def test_pruned_candidates_can_be_hidden(explored: Opened, translator: Translator) -> None:
    page = explored.open(LIGHT)
    search = searched(translator.explain("I like pizza"))
    page.get_by_role("combobox", name="Pruned").select_option("hidden")
    assert set(candidates(page)) == {at for at, node in enumerate(search.nodes) if node.state != "pruned"}
    page.reload()
    page.wait_for_selector("[role=treeitem]")
    assert not any(", pruned," in label for label in candidates(page).values())


def test_no_two_candidates_lie_on_each_other_and_no_two_lines_cross(explored: Opened) -> None:
    page = explored.open(f"view=beams&q={Q}&beam=10")
    boxes = page.evaluate(
        "[...document.querySelectorAll('[role=treeitem] rect')].map(r => {"
        "const b = r.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]})"
    )
    assert len(boxes) > 150
    for i, a in enumerate(boxes):
        for b in boxes[i + 1 :]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    # A label that is wider than its box would lie on the next one.
    assert page.evaluate(
        "[...document.querySelectorAll('[role=treeitem]')].every(g => {"
        "const box = g.querySelector('rect').getBoundingClientRect();"
        "return [...g.querySelectorAll('text')].every(t => {const b = t.getBoundingClientRect();"
        "return b.left >= box.left - 1 && b.right <= box.right + 1})})"
    )
    # Lines of one step cross where their ends stand in another order than their starts.
    ends = page.evaluate(
        r"[...document.querySelectorAll('figure path')].map(p => p.getAttribute('d').match(/-?[\d.]+/g).map(Number))"
    )
    lines = [(line[0], line[1], line[-1]) for line in ends]
    for i, (x, start, end) in enumerate(lines):
        for other_x, other_start, other_end in lines[i + 1 :]:
            assert x != other_x or (start - other_start) * (end - other_end) >= 0


def test_in_a_file_the_tree_stands_and_the_sliders_say_what_they_need(
    opened_file: Opened, translator: Translator
) -> None:
    page = opened_file.open("view=beams")
    assert len(candidates(page)) == len(searched(translator.explain(SENTENCE)).nodes)
    assert page.get_by_label("Beam width").is_disabled()
    assert "glassformer explore" in page.inner_text("main")


def test_the_start_is_left_when_another_sentence_is_searched(explored: Opened) -> None:
    page = explored.open(LIGHT)
    page.locator('[data-at="-1"]').click()
    page.mouse.move(0, 0)
    assert page.locator('[data-at="-1"][aria-selected=true]').count() == 1
    page.fill("#q", "I like dogs")
    page.keyboard.press("Enter")
    explored.settle()
    assert page.locator('[data-at="-1"][aria-selected=true]').count() == 0
    assert "The winner" in page.inner_text("main")


def test_a_file_without_the_search_lists_what_it_found(browser: Any, translator: Translator, tmp_path: Path) -> None:
    translation = translator.translate("I like pizza", replace(translator.search, n_best=4))
    assert translation.search is None
    assert len(translation.hypotheses) == 4
    path = tmp_path / "best.html"
    path.write_text(translation.to_html(), encoding="utf-8")
    opened = Opened(browser, path.as_uri(), offline=True)
    opened.open("view=beams")
    rows = [row.split("\t") for row in opened.texts("tbody tr")]
    assert [(row[1].strip(), row[-1].strip()) for row in rows] == [
        (found.text, number(found.score)) for found in translation.hypotheses
    ]
    opened.context.close()
    assert opened.faults == []
