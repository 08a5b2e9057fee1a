"""Maths and figures can be read in a terminal."""

import pytest

from glassformer.course.figures import Curves, Diagram, HeatMap
from glassformer.course.lesson import to_terminal, to_unicode


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\frac{Q K^\top}{\sqrt{d_k}}", "(Q Kᵀ) / √dₖ"),
        (r"\mathrm{softmax}\left(x\right)", "softmax(x)"),
        (r"d_{model}^{-0.5}", "d_model^(-0.5)"),
        (r"x_i^2 + \alpha", "xᵢ² + α"),
        (r"\sum_{i} w_i v_i", "Σᵢ wᵢ vᵢ"),
        (r"2 \cdot 3 \leq 10^{4}", "2 · 3 ≤ 10⁴"),
        (r"\unheard{x}", r"\unheardx"),
    ],
)
def test_latex_becomes_unicode(latex: str, text: str) -> None:
    assert to_unicode(latex) == text


def test_maths_in_code_is_left_alone_and_figures_are_drawn() -> None:
    markdown = "costs `$5` and $x^2$\n\n![a map](figure:weights)\n\n```python\nprice = '$3$'\n```\n"
    text = to_terminal(markdown, lambda name: f"<{name}>")
    assert text == "costs `$5` and `x²`\n\n*a map*\n\n```text\n<weights>\n```\n\n```python\nprice = '$3$'\n```\n"


def test_a_heat_map_is_darker_where_numbers_are_larger() -> None:
    figure = HeatMap(rows=["a", "bb"], columns=["x", "yz"], values=[[0.0, 0.5], [1.0, 0.25]])
    assert figure.text() == "     y\n   x z\na    ▒▒\nbb ██░░"
    assert figure.svg().count("<rect") == 4


def test_curves_and_diagrams_have_both_forms() -> None:
    curves = Curves(series={"up": [0, 1, 2, 3], "flat": [1, 1, 1, 1]}, across="step")
    assert "a up" in curves.text()
    assert curves.svg().count("<polyline") == 2
    diagram = Diagram("\n[a] -> <b>\n")
    assert diagram.text() == "[a] -> <b>"
    assert "&lt;b&gt;" in diagram.svg()
