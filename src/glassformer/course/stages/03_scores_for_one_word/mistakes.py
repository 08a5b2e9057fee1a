"""What people get wrong about one word's attention."""

from glassformer.course.mistakes import Mistake

SCORE = "return keys @ query / math.sqrt(query.size(-1))"
EXP = "shares = torch.exp(scores - scores.max())"
SHARE = "return shares / shares.sum()"
WEIGHTS = "weights = softmax(score(query, keys))"
MIXTURE = "mixture = weights @ values"

MISTAKES = [
    Mistake(
        name="no-scaling",
        says="Your scores are the plain dot products, 6, 0 and 2: the division by sqrt(d_k) is missing. The keys are "
        "4 numbers wide, sqrt(4) is 2, so 3, 0 and 1 are wanted.",
        edits=[(SCORE, "return keys @ query")],
    ),
    Mistake(
        name="divided-by-d_k",
        says="You divide by d_k itself, 4; the paper divides by its square root, 2. Dot products grow like the square "
        "root of the width: divided by the whole of it they become too small, and all words look alike.",
        edits=[(SCORE, "return keys @ query / query.size(-1)")],
    ),
    Mistake(
        name="scaled-by-the-number-of-keys",
        says="You divide by the square root of the number of keys (3). It is their width that counts (4): how many "
        "numbers a dot product adds up. query.size(-1), or keys.size(1).",
        edits=[(SCORE, "return keys @ query / math.sqrt(len(keys))")],
    ),
    Mistake(
        name="eight-written-in",
        says="You divide by 8. That is sqrt(64), right for the paper's heads and no others; these keys are 4 numbers "
        "wide. Take the width from the query: math.sqrt(query.size(-1)).",
        edits=[(SCORE, "return keys @ query / 8")],
    ),
    Mistake(
        name="multiplied-by-the-root",
        says="You multiply by sqrt(d_k) where you should divide: 12, 0 and 4 instead of 3, 0 and 1. The division is "
        "there to make large dot products smaller.",
        edits=[(SCORE, "return keys @ query * math.sqrt(query.size(-1))")],
    ),
    Mistake(
        name="shares-without-exponential",
        says="You divide the scores by their sum, as in stage 01. Scores can be negative now, and 0 must still get a "
        "share: take the exponential of each first, then divide. exp of 0, log 2, log 5 is 1, 2, 5.",
        edits=[(EXP, "shares = scores")],
    ),
    Mistake(
        name="not-normalised",
        says="Your shares are 1, 2 and 5: the exponentials, not yet divided by their sum, 8. A softmax sums to 1.",
        edits=[(EXP, "shares = torch.exp(scores)"), (SHARE, "return shares")],
    ),
    Mistake(
        name="divided-by-the-largest",
        says="Your largest share is exactly 1: you divide by the largest exponential, or do not divide after "
        "subtracting the largest score. Divide by the sum of all: then the shares sum to 1.",
        edits=[(SHARE, "return shares")],
    ),
    Mistake(
        name="sigmoid",
        says="You used a sigmoid, which looks at each score alone: 0 always becomes 1/2. In a softmax words compete: "
        "what one gets, the others lose.",
        edits=[(EXP, "shares = torch.sigmoid(scores)"), (SHARE, "return shares")],
    ),
    Mistake(
        name="log-softmax",
        says="Your shares are negative: these are logarithms of the shares (log_softmax). That is what a loss wants, "
        "in stage 18; a mixture needs the shares themselves.",
        edits=[(SHARE, "return torch.log(shares / shares.sum())")],
    ),
    Mistake(
        name="largest-subtracted-too-late",
        says="You subtract the largest after the exponential. That is another function: it makes the largest share 0. "
        "Subtract it from the scores, inside: exp(scores - scores.max()).",
        edits=[(EXP, "shares = torch.exp(scores) - torch.exp(scores).max()")],
    ),
    Mistake(
        name="scores-changed-in-place",
        says="Your softmax is right, but it wrote into the scores it was given (-=, sub_, exp_ and the like). Whoever "
        "called it still needs them: make a new tensor.",
        edits=[(EXP, "shares = scores.sub_(scores.max()).exp()")],
    ),
    Mistake(
        name="softmax-by-hand-overflows",
        says="Your softmax is right for small scores and NaN for scores around 1000: exp(1000) is infinite, and "
        "infinity divided by infinity is not a number. Subtract the largest score first; the shares stay the same.",
        edits=[(EXP, "shares = torch.exp(scores)")],
    ),
    Mistake(
        name="mean-subtracted",
        says="Your softmax overflows when one score stands far above the others, as in 0, 0, 0, 400: you subtract "
        "the mean. Subtract the *largest*: then no exponent is above 0.",
        edits=[(EXP, "shares = torch.exp(scores - scores.mean())")],
    ),
    Mistake(
        name="softmax-forgotten",
        says="Your weights are the scores themselves. They need to go through your softmax, or some are negative and "
        "they do not sum to 1.",
        edits=[(WEIGHTS, "weights = score(query, keys)")],
    ),
    Mistake(
        name="attend-does-not-scale",
        says="Your score is right, but attend does not use it: its weights come from the undivided dot products. Call "
        "score(query, keys).",
        edits=[(WEIGHTS, "weights = softmax(keys @ query)")],
    ),
    Mistake(
        name="still-the-best-only",
        says="Your weights are right, and then you take the one value with the largest weight: stage 02's look-up. "
        "Now all values count, each by its weight: weights @ values.",
        edits=[(MIXTURE, "mixture = values[weights.argmax()]")],
    ),
    Mistake(
        name="keys-mixed",
        says="You mix the keys. Keys have done their work once the weights are there; what is mixed are the values.",
        edits=[(MIXTURE, "mixture = weights @ keys")],
    ),
    Mistake(
        name="weighted-but-not-added",
        says="You multiply each value by its weight and stop there: four rows came out, one for each word. Add them "
        "up: one mixture is wanted.",
        edits=[(MIXTURE, "mixture = weights[:, None] * values")],
    ),
    Mistake(
        name="mean-instead-of-sum",
        says="You take the mean of the weighted values; that divides by the number of words once more. The weights "
        "sum to 1 already: add up, no more.",
        edits=[(MIXTURE, "mixture = (weights[:, None] * values).mean(dim=0)")],
    ),
    Mistake(
        name="returned-the-other-way-round",
        says="You return the weights first and the mixture second. The order is (mixture, weights).",
        edits=[("return mixture, weights", "return weights, mixture")],
    ),
]
