"""Curves and heat maps for the terminal, worked by hand."""

import io

from rich.console import Console

from glassformer.cli.drawing import curve, heat_map, mix


def test_a_curve_has_a_bar_for_every_share_of_the_numbers() -> None:
    assert curve([0.0, 0.0, 0.5, 0.5, 1.0, 1.0], width=3) == "▁▅█"


def test_a_curve_is_no_wider_than_its_numbers() -> None:
    assert curve([1.0, 1.0], width=40) == "██"


def test_a_curve_of_nothing_but_zeros_is_flat() -> None:
    assert curve([0.0, 0.0], width=2) == "▁▁"


def test_a_heat_map_has_its_rows_below_its_columns() -> None:
    picture = heat_map([[1.0, 0.0, 0.5], [0.0, 0.3, 0.7]], rows=["x", "y"], columns=["a", "b", "c"], colour=False)
    assert picture.plain.splitlines() == ["  a b c ", "x ██  ▒▒", "y   ░░▓▓"]


def test_in_colour_a_heat_map_is_painted_on_the_background() -> None:
    picture = heat_map([[1.0, 0.0]], rows=["x"], columns=["a", "b"], colour=True)
    assert picture.plain.splitlines()[1] == "x     "
    assert [str(span.style) for span in picture.spans][-2:] == [f"not bold on {mix(1.0)}", f"not bold on {mix(0.0)}"]


def test_colours_go_from_dark_to_bright_and_no_further() -> None:
    assert mix(0.0) == mix(-1.0) == "#181a26"
    assert mix(1.0) == mix(2.0) == "#ffc454"


def test_without_colours_the_course_draws_shades() -> None:
    from glassformer.cli.course_screen import print_picture
    from glassformer.course.verdict import Picture

    picture = Picture(got=[[1.0, 0.5]], wanted=[[0.5, 1.0]], rows=["he"], columns=["Bark", "is"])
    drawn = io.StringIO()
    print_picture(Console(force_terminal=True, no_color=True, width=100, file=drawn), picture)
    assert "██████" in drawn.getvalue()
