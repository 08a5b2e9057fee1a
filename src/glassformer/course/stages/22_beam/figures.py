"""The pictures of this lesson."""

from glassformer.course.figures import Curves, Diagram


def tree() -> Diagram:
    """Width 2: at each depth the two best of all candidates go on."""
    return Diagram("""
                           0.3   pizza   0.150       x
              0.50 ──────▶ 0.45  hai     0.225   ──▶ seat 2
         ┌──▶ main         0.25  </s>    0.125       x
  <s> ───┤
         └──▶ mujhe        0.9   pizza   0.360   ──▶ seat 1
              0.40 ──────▶ 0.05  hai     0.020       x
                           0.05  </s>    0.020       x

     six candidates, two seats; greedy would have seen the upper three only
""")


def penalty() -> Curves:
    """What a log-probability is divided by, for sentences of 1 to 40 tokens."""
    return Curves(
        series={f"alpha {alpha}": [((5 + n) / 6) ** alpha for n in range(1, 41)] for alpha in (1.0, 0.6, 0.2, 0.0)},
        across="tokens",
        x0=1,
    )
