"""What people get wrong about mixing words."""

from glassformer.course.mistakes import Mistake

SCORES = "scores = words @ words.T"
SHARES = "weights = scores / scores.sum(dim=1, keepdim=True)"
RETURN = "return weights @ words, weights"

MISTAKES = [
    Mistake(
        name="not-normalised",
        says="Your weights are the raw dot products: 4, 2 and 6 for the first word. Divide each row by its sum (12), "
        "or a long sentence makes large words and a short one small ones.",
        edits=[(SHARES, "weights = scores")],
    ),
    Mistake(
        name="columns-sum-to-one",
        says="Your columns sum to 1, your rows do not. Either you summed along dim=0, or you left out keepdim=True: "
        "without it the sums are a flat row, and broadcasting divides column j by sum j.",
        edits=[(SHARES, "weights = scores / scores.sum(dim=1)")],
    ),
    Mistake(
        name="divided-by-everything",
        says="You divide by the sum of the whole table (40 in the check's example), so all weights together make 1. "
        "Every word has a whole 1 of its own to give away: sum along dim=1.",
        edits=[(SHARES, "weights = scores / scores.sum()")],
    ),
    Mistake(
        name="softmax-already",
        says="You used a softmax. That is what attention does in the end, and stage 03 says why; here, plain shares: "
        "4, 2 and 6 become 4/12, 2/12 and 6/12.",
        edits=[(SHARES, "weights = scores.softmax(dim=1)")],
    ),
    Mistake(
        name="everyone-alike",
        says="In your mixture every word counts the same, 1/3 each: a plain average. That was stage 00's `listen`. A "
        "word should count for more the larger its dot product is with the word that asks.",
        edits=[(SHARES, "weights = (scores * 0 + 1) / len(words)")],
    ),
    Mistake(
        name="cosine",
        says="You made all words the same length before comparing them (cosine similarity). A dot product keeps "
        "lengths: [3, 0] speaks up more than [2, 0], though both point the same way.",
        edits=[(SCORES, "unit = words / words.norm(dim=1, keepdim=True)\n    scores = unit @ unit.T")],
    ),
    Mistake(
        name="not-looking-at-itself",
        says="In your weights no word looks at itself: the diagonal is 0. Each word is compared with *every* word of "
        "the sentence, its own place included, or it would lose what it means.",
        edits=[(SHARES, "scores = scores - scores.diag().diag()\n    " + SHARES)],
    ),
    Mistake(
        name="features-compared-with-features",
        says="Your weights have a row for each feature, not for each word: words.T @ words compares the columns. "
        "Words stand in the rows, so it is words @ words.T, which gives [S, S].",
        edits=[(SCORES, "scores = words.T @ words"), (RETURN, "return words @ weights, weights")],
    ),
    Mistake(
        name="mixed-by-columns",
        says="Your weights are right; your mixture uses their columns: weights.T @ words. Row i of the weights is the "
        "view of word i, and row i of weights @ words is its mixture.",
        edits=[(RETURN, "return weights.T @ words, weights")],
    ),
    Mistake(
        name="word-added-to-its-mixture",
        says="You add the word itself to its mixture. The model will do that, in stage 12, as a residual connection; "
        "here the mixture is weights @ words and no more.",
        edits=[(RETURN, "return words + weights @ words, weights")],
    ),
    Mistake(
        name="returned-the-other-way-round",
        says="You return the weights first and the mixture second. The order is (mixture, weights), here and in all "
        "stages to come.",
        edits=[(RETURN, "return weights, weights @ words")],
    ),
    Mistake(
        name="words-changed-in-place",
        says="Your answers are right, but the words you were given are no longer what they were: something like words "
        "*= or words[i] = wrote into them. Other code still needs them; make a new tensor.",
        edits=[(RETURN, "mixture = weights @ words\n    words.copy_(mixture)\n    return mixture, weights")],
    ),
]
