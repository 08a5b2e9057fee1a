"""The pictures of this lesson."""

from glassformer.course.figures import Diagram


def chains() -> Diagram:
    """The two chains, and the one arrow that becomes six."""
    return Diagram("""
                                            translation, one word further
                                                         ▲
     ┌───────────┐                                 ┌─────┴─────┐
     │ encoder 6 ├──── memory ─────┬──────────────▶│ decoder 6 │
     └─────▲─────┘                 │               └─────▲─────┘
     ┌─────┴─────┐                 │               ┌─────┴─────┐
     │ encoder 5 │                 ├──────────────▶│ decoder 5 │
     └─────▲─────┘                 │               └─────▲─────┘
           ⋮                       ⋮                     ⋮
     ┌─────┴─────┐                 │               ┌─────┴─────┐
     │ encoder 1 │                 └──────────────▶│ decoder 1 │
     └─────▲─────┘                                 └─────▲─────┘
           │                                             │
     I like pizza                              the translation so far
""")


def links() -> Diagram:
    """What is inside one link of each kind."""
    return Diagram("""
      an encoder                      a decoder

          ▲                               ▲
    ┌─────┴────────┐                ┌─────┴────────┐
    │ feed forward │                │ feed forward │
    └─────▲────────┘                └─────▲────────┘
    ┌─────┴────────┐                ┌─────┴────────┐
    │ attention    │                │ cross        │
    └─────▲────────┘                │ attention    │◀── listen ── memory
          │                         └─────▲────────┘
        words                       ┌─────┴────────┐
                                    │ attention    │
                                    └─────▲────────┘
                                          │
                                        words
""")
