"""What people get wrong about BLEU."""

from glassformer.course.mistakes import Mistake

MATCHED = "sum(min(count, theirs[gram]) for gram, count in ours.items())"
MADE = "sum(ours.values())"
MEAN = "math.exp(sum(math.log(m / k) for m, k in zip(matched, made, strict=True)) / 4)"
BREVITY = "1.0 if n_ours >= n_theirs else math.exp(1 - n_theirs / n_ours)"
LENGTHS = "n_ours, n_theirs = sum(map(len, translations)), sum(map(len, references))"
ONE_BY_ONE = """    if len(translations) != 1:
        return sum(bleu([t], [r]) for t, r in zip(translations, references, strict=True)) / len(translations)
    matched, made = [0] * 4, [0] * 4"""

MISTAKES = [
    Mistake(
        name="last-n-gram-missing",
        says="Your last n-gram is missing: range(len(words) - n) stops one too early. Six words have five bigrams: "
        "len(words) - n + 1.",
        edits=[("len(words) - n + 1", "len(words) - n")],
    ),
    Mistake(
        name="n-grams-as-a-set",
        says="You count each n-gram once, however often it occurs: 'he is' stands twice in the check's sentence. A set "
        "forgets how often; a Counter does not.",
        edits=[("return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))",
                "return Counter({tuple(words[i : i + n]) for i in range(len(words) - n + 1)})")],
    ),
    Mistake(
        name="one-instead-of-a-hundred",
        says="Your BLEU goes from 0 to 1. By custom it goes to 100: multiply.",
        edits=[("100 * brevity", "brevity")],
    ),
    Mistake(
        name="counts-not-clipped",
        says="You count a word as right as often as the translation says it. Then 'pizza pizza pizza' is a perfect translation "
        "of any sentence with pizza in it. Each n-gram counts at most as often as the reference has it: min(ours, theirs).",
        edits=[(MATCHED, "sum(count for gram, count in ours.items() if gram in theirs)")],
    ),
    Mistake(
        name="arithmetic-mean",
        says="You average the four precisions by adding. BLEU multiplies them and takes the fourth root (the geometric mean: exp of the "
        "mean of the logs), so that failing at one n cannot be made up for by the others.",
        edits=[(MEAN, "sum(m / k for m, k in zip(matched, made, strict=True)) / 4")],
    ),
    Mistake(
        name="product-without-the-root",
        says="You multiply the four precisions but take no root: 8/9 * 6/8 * 4/7 * 2/6 is 0.13, and its fourth root is 0.60. Divide "
        "the sum of logs by 4, or raise the product to 1/4.",
        edits=[(MEAN, "math.exp(sum(math.log(m / k) for m, k in zip(matched, made, strict=True)))")],
    ),
    Mistake(
        name="only-up-to-trigrams",
        says="You stop at n = 3: range(1, 4) does not reach 4. BLEU goes from single words to runs of four.",
        edits=[("range(1, 5)", "range(1, 4)"), ("[0] * 4, [0] * 4", "[0] * 3, [0] * 3"), ("strict=True)) / 4", "strict=True)) / 3")],
    ),
    Mistake(
        name="recall-instead-of-precision",
        says="You divide by the n-grams of the references. That asks how much of the reference was said (recall); BLEU asks how much "
        "of what was said is right (precision), and leaves the rest to the brevity penalty.",
        edits=[(MADE, "sum(theirs.values())")],
    ),
    Mistake(
        name="brevity-penalty-the-wrong-way",
        says="You punish translations that are too long and let short ones go. It must be the other way: precision already punishes what is "
        "too much; the penalty is for saying too little, where the translations are shorter than the references.",
        edits=[(BREVITY, "1.0 if n_ours <= n_theirs else math.exp(1 - n_ours / n_theirs)")],
    ),
    Mistake(
        name="brevity-rewards",
        says="Your brevity ratio is upside down: exp(1 - c / r) is above 1 for a short translation, a reward. It is exp(1 - r / c), "
        "r the words of the references: exp(1 - 9/6) = 0.607 for six words of nine.",
        edits=[(BREVITY, "1.0 if n_ours >= n_theirs else math.exp(1 - n_ours / n_theirs)")],
    ),
    Mistake(
        name="no-brevity-penalty",
        says="There is no brevity penalty: a translation that says only the two words it is sure of would be perfect. Multiply "
        "by exp(1 - r / c) where the translations are shorter.",
        edits=[(BREVITY, "1.0")],
    ),
    Mistake(
        name="penalty-for-every-length",
        says="You use exp(1 - r / c) for long translations too, where it is above 1: a reward for talking too much. It holds only where the "
        "translations are shorter; otherwise the penalty is 1.",
        edits=[(BREVITY, "math.exp(1 - n_theirs / n_ours)")],
    ),
    Mistake(
        name="average-of-sentence-scores",
        says="You average the scores of the sentences. One sentence without a matching 4-gram has 0 and drags everything down, and a "
        "sentence of three words weighs as much as one of forty. Add up the counts of the whole corpus, then compute once.",
        edits=[("    matched, made = [0] * 4, [0] * 4", ONE_BY_ONE)],
    ),
    Mistake(
        name="brevity-by-sentence",
        says="You count each sentence's missing words by themselves. The penalty compares totals: words of all translations against words of all "
        "references, so a long sentence may make up for a short one.",
        edits=[(LENGTHS, "n_theirs = sum(map(len, references))\n    n_ours = sum(min(len(t), len(r)) for t, r in zip(translations, "
                "references, strict=True))")],
    ),
    Mistake(
        name="clipped-over-the-whole-corpus",
        says="You pool all references before you clip. So a word that is wrong here counts as right because another sentence's reference has it. "
        "Clip sentence by sentence, then add up.",
        edits=[("ours, theirs = ngrams(translation, n), ngrams(reference, n)", "ours = ngrams(translation, n)\n"
                "            theirs = sum((ngrams(r, n) for r in references), Counter())\n"
                "            earlier = sum((ngrams(t, n) for t in translations[: translations.index(translation)]), Counter())\n"
                "            theirs = theirs - earlier")],
    ),
    Mistake(
        name="log-of-zero",
        says="No 4-gram agrees, and the logarithm of 0 is an error in Python. A product with a 0 in it is 0: return 0.0 before you take logs.",
        edits=[("min(matched) == 0", "not any(made)")],
    ),
    Mistake(
        name="division-by-zero",
        says="A translation without words has no n-grams to divide by. Where nothing was said, nothing agrees: return 0.0 before you divide.",
        edits=[("min(matched) == 0", "min(made) > 0 and min(matched) == 0")],
    ),
]  # fmt: skip
