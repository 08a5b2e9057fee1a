"""Lessons, hints and FAQ as text for a terminal: maths in Unicode, pictures as their text form.

The same files become the book's pages and the notebooks, where maths and pictures are drawn.
"""

import re
from collections.abc import Callable

FIGURE = re.compile(r"!\[([^\]]*)\]\(figure:(\w+)\)")
MATHS = re.compile(r"\$\$(.+?)\$\$|(?<![\\$])\$([^$\n]+?)\$", re.DOTALL)
CODE = re.compile(r"(```.*?```|`[^`\n]*`)", re.DOTALL)

SYMBOLS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "epsilon": "ε", "varepsilon": "ε", "theta": "θ", "lambda": "λ", "mu": "μ",
    "sigma": "σ", "odot": "⊙", "times": "×", "cdot": "·", "top": "ᵀ", "sum": "Σ", "prod": "Π", "infty": "∞", "leq": "≤",
    "geq": "≥", "le": "≤", "ge": "≥", "neq": "≠", "ne": "≠", "approx": "≈", "in": "∈", "to": "→", "ldots": "…",
    "dots": "…", "cdots": "⋯", "log": "log", "exp": "exp", "min": "min", "max": "max", "sin": "sin", "cos": "cos",
    "quad": "  ", "qquad": "    ", "left": "", "right": "", "big": "", "Big": "", "bigl": "", "bigr": "", "pm": "±",
    "partial": "∂", "prime": "′", "mid": "|", "Vert": "‖", "pi": "π", "delta": "δ", "Delta": "Δ", "phi": "φ",
}  # fmt: skip
WRAPPERS = ("mathrm", "text", "operatorname", "mathbf", "mathbb", "mathcal", "hat", "bar", "textbf", "mathit")
RAISED = str.maketrans("0123456789+-n i()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ ⁱ⁽⁾")
LOWERED = str.maketrans("0123456789+-aehijklmnoprstuvx()", "₀₁₂₃₄₅₆₇₈₉₊₋ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ₍₎")


def to_terminal(markdown: str, figure: Callable[[str], str] | None = None) -> str:
    """Markdown that a terminal can show: maths as Unicode, each figure as a block of text (`figure` draws it)."""
    pieces = CODE.split(markdown)
    for number in range(0, len(pieces), 2):  # between the pieces of code
        text = FIGURE.sub(lambda found: figure_block(found, figure), pieces[number])
        pieces[number] = MATHS.sub(maths_block, text)
    return "".join(pieces)


def figure_block(found: re.Match[str], figure: Callable[[str], str] | None) -> str:
    """A figure as a code block below its caption."""
    caption, name = found.groups()
    return f"*{caption}*\n\n```text\n{figure(name)}\n```" if figure else f"*{caption}*"


def maths_block(found: re.Match[str]) -> str:
    """A formula on a line of its own as a quotation, one inside a line as code."""
    display, inline = found.groups()
    return f"\n> {to_unicode(display)}\n" if display else f"`{to_unicode(inline)}`"


def to_unicode(latex: str) -> str:
    """The LaTeX of our lessons in Unicode characters; what it does not know keeps its backslash, and a test fails."""
    text = " ".join(latex.split())
    text = re.sub(r"\\([,;:!\s])", " ", text)
    text = re.sub(r"\\([{}%_&#])", r"\1", text)
    for _ in range(4):  # from the inside out
        for wrapper in WRAPPERS:
            text = re.sub(rf"\\{wrapper}\{{([^{{}}]*)\}}", r"\1", text)
        text = re.sub(r"\^\{([^{}]*)\}", lambda m: raise_up(m[1]), text)
        text = re.sub(r"_\{([^{}]*)\}", lambda m: lower(m[1]), text)
        text = re.sub(r"\\sqrt\{([^{}]*)\}", lambda m: f"√{bracket(m[1])}", text)
        text = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", lambda m: f"{bracket(m[1])} / {bracket(m[2])}", text)
    text = re.sub(r"\^(\\top|\w)", lambda m: "ᵀ" if m[1] == "\\top" else raise_up(m[1]), text)
    text = re.sub(r"_(\w)(?![A-Za-z])", lambda m: lower(m[1]), text)
    text = re.sub(r"\\([a-zA-Z]+)", lambda m: SYMBOLS.get(m[1], m[0]), text)
    return re.sub(r" +", " ", text.replace("{", "").replace("}", "")).strip()


def raise_up(text: str) -> str:
    """As a superscript, or behind ^ where Unicode has none."""
    raised = text.translate(RAISED)
    return raised if not re.search(r"[A-Za-hj-z\\./√]", raised) else f"^{bracket(text)}"


def lower(text: str) -> str:
    """As a subscript, or behind _ where Unicode has none."""
    lowered = text.translate(LOWERED)
    return lowered if not re.search(r"[A-Za-z\\./,= ]", lowered) else f"_{bracket(text) if ' ' in text else text}"


def bracket(text: str) -> str:
    """In brackets where it is more than one thing."""
    return f"({text})" if re.search(r"[-+ /=·]", text.strip()) else text


def figures_in(markdown: str) -> list[str]:
    """The names of the figures a lesson shows."""
    return [name for _, name in FIGURE.findall(markdown)]


def split_hints(markdown: str) -> list[str]:
    """The hints, which a line of dashes parts."""
    return [hint.strip() for hint in re.split(r"^---$", markdown, flags=re.MULTILINE) if hint.strip()]


def questions_in(markdown: str) -> list[str]:
    """The questions of an FAQ: its headings."""
    return re.findall(r"^## (.+\?.*)$", markdown, flags=re.MULTILINE)
