"""The pictures of this lesson: a step, and what happens to one weight in sixty of them."""

import torch

from glassformer.course.figures import Curves, Diagram

STEP = """
            ┌──────────────────────────────────────────────────────┐
            ▼                                                      │
   set the rate  ──▶  zero_grad  ──▶  loss  ──▶  backward  ──▶  step
   of this step       old notes       how        a new note     each weight
                      thrown away     wrong?     on each        follows
                                                 weight         its note
"""


def step() -> Diagram:
    """One round of the loop."""
    return Diagram(STEP)


def forgotten() -> Curves:
    """Where a weight is after each of 60 steps, with zero_grad and without it."""
    return Curves(series={"with zero_grad": places(clears=True), "without": places(clears=False)}, across="step")


def places(*, clears: bool) -> list[float]:
    """Go down from w = 3 on the loss w * w with a rate of 0.02."""
    weight = torch.tensor(3.0, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.02)
    found = [3.0]
    for _ in range(60):
        if clears:
            optimizer.zero_grad()
        loss = weight**2
        loss.backward()
        optimizer.step()
        found.append(weight.item())
    return found
