"""The picture of this lesson."""

from glassformer.course.figures import Curves


def bend() -> Curves:
    """relu(x), relu(-x), and half a step above them their sum: |x|."""
    xs = [place / 8 - 4 for place in range(65)]
    return Curves(
        series={
            "their sum (raised by 0.5)": [abs(x) + 0.5 for x in xs],
            "relu(x)": [max(0.0, x) for x in xs],
            "relu(-x)": [max(0.0, -x) for x in xs],
        },
        across="x",
        x0=-4.0,
        step=1 / 8,
    )
