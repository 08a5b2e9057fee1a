"""What people get wrong about equation 3."""

from glassformer.course.mistakes import Mistake

GUARD = """    if step < 1:
        raise ValueError(f"step is {step}; steps count from 1")
"""
FALLING = "falling = step**-0.5"
RISING = "rising = step * warmup**-1.5"
RATE = "return d_model**-0.5 * min(falling, rising)"

MISTAKES = [
    Mistake(
        name="max-instead-of-min",
        says="You take the larger of the two; equation 3 takes the smaller. With max the rate begins enormous, at step 1 it is "
        "125 times too large, sinks until the end of the warm-up and then grows for ever.",
        edits=[(RATE, RATE.replace("min", "max"))],
    ),
    Mistake(
        name="warmup-exponent-a-half",
        says="You multiply the step by warmup^-0.5; the exponent is -1.5. Your rising branch is 25 times too steep, so the minimum "
        "takes the other one from the start, and there is hardly any warm-up.",
        edits=[(RISING, "rising = step * warmup**-0.5")],
    ),
    Mistake(
        name="warmup-exponent-one",
        says="Your rising branch is step / warmup, which ends at 1. It must end where the other begins, at 1 / sqrt(warmup): hence "
        "the exponent -1.5.",
        edits=[(RISING, "rising = step / warmup")],
    ),
    Mistake(
        name="exponent-positive",
        says="Your step has the exponent 0.5, so that branch rises too, and the rate never falls. It is step^-0.5, one over the "
        "root.",
        edits=[(FALLING, "falling = step**0.5")],
    ),
    Mistake(
        name="falls-like-one-over-step",
        says="After the warm-up your rate falls like 1 / step; the paper's falls like 1 / sqrt(step), much more slowly. At step 100 "
        "you are at 1/100 where 1/10 was wanted, and the model stops learning early.",
        edits=[(FALLING, "falling = 1 / step")],
    ),
    Mistake(
        name="never-falls",
        says="Your rate rises to its peak and stays there: the other branch depends on warmup only. After the warm-up it falls with "
        "the step, step^-0.5.",
        edits=[(FALLING, "falling = warmup**-0.5")],
    ),
    Mistake(
        name="no-warmup",
        says="Your rate has no warm-up: it is highest at step 1, when Adam knows nothing yet about the size of the gradients. Take "
        "the smaller of step^-0.5 and step * warmup^-1.5.",
        edits=[(RATE, "return d_model**-0.5 * falling")],
    ),
    Mistake(
        name="rises-for-ever",
        says="Your rate rises and rises: the branch that falls, step^-0.5, is missing from the minimum.",
        edits=[(RATE, "return d_model**-0.5 * rising")],
    ),
    Mistake(
        name="d_model-forgotten",
        says="d_model does not come into your rate. A wider model needs smaller steps: multiply by d_model^-0.5.",
        edits=[(RATE, "return min(falling, rising)")],
    ),
    Mistake(
        name="d_model-not-rooted",
        says="You divide by d_model itself; the paper divides by its square root. With d_model 512 your steps are 22 times too "
        "small.",
        edits=[(RATE, "return min(falling, rising) / d_model")],
    ),
    Mistake(
        name="times-the-root-of-d_model",
        says="You multiply by sqrt(d_model) (that was the embedding); here it is divided by it: d_model^-0.5.",
        edits=[(RATE, "return d_model**0.5 * min(falling, rising)")],
    ),
    Mistake(
        name="one-step-late",
        says="You count steps from 0 inside: the rate of step 1 is that of step 0 in the formula. Steps come in as 1, 2, 3: use "
        "them as they are.",
        edits=[(FALLING, "step = step - 1\n    falling = max(step, 1e-9) ** -0.5")],
    ),
    Mistake(
        name="one-step-early",
        says="You add 1 to the step, to get around step 0. Steps count from 1 already, and now every step has the rate of the next.",
        edits=[(GUARD, "    step = step + 1\n")],
    ),
    Mistake(
        name="step-zero-divides-by-zero",
        says="At step 0 your code raises ZeroDivisionError, with no word of what is wrong. Whoever counts from 0 meets it in the "
        "first line of their training: check `step < 1` first and raise a ValueError that says that steps count from 1.",
        edits=[(GUARD, "")],
    ),
    Mistake(
        name="step-zero-gives-zero",
        says="At step 0 you return a rate of 0: a whole batch computed, and nothing learned from it, silently. Steps count from 1; "
        "raise a ValueError for anything below.",
        edits=[(GUARD, "    if step < 1:\n        return 0.0\n")],
    ),
    Mistake(
        name="step-zero-as-step-one",
        says="You treat step 0 as step 1. Then whoever counts from 0 gets the first rate twice and every later one a step late, and "
        "never hears of it. Steps count from 1; raise a ValueError for anything below.",
        edits=[(GUARD, "    step = max(step, 1)\n")],
    ),
]  # fmt: skip
