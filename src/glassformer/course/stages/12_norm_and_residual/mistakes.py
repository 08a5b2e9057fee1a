"""What people get wrong about the norm and the residual."""

from glassformer.course.mistakes import Mistake

WEIGHT, BIAS = "self.weight = nn.Parameter(torch.ones(d_model))", "self.bias = nn.Parameter(torch.zeros(d_model))"
MEAN = "x.mean(dim=-1, keepdim=True)"
VARIANCE = "x.var(dim=-1, keepdim=True, unbiased=False)"
NORMAL = "(x - mean) / torch.sqrt(variance + self.eps)"
ANSWER = "return normal * self.weight + self.bias"
WHICH = 'if self.placement == "pre":'
PRE = "return x + self.dropout(sublayer(self.norm(x)))"
POST = "return self.norm(x + self.dropout(sublayer(x)))"

MISTAKES = [
    Mistake(
        name="norm-returns-its-input",
        says="Your LayerNorm returns x as it came. The mean and the variance may be computed, but nothing is done "
        "with them: return the normalised vector.",
        edits=[(ANSWER, "return x * self.weight + self.bias")],
    ),
    Mistake(
        name="normalised-over-the-places",
        says="You normalise each column over the *words* of a sentence: dim=-2. A word would then depend on how "
        "many others there are, and a single word has no variance at all. Each word's vector is normalised on its "
        "own: dim=-1.",
        edits=[(MEAN, "x.mean(dim=-2, keepdim=True)"), (VARIANCE, "x.var(dim=-2, keepdim=True, unbiased=False)")],
    ),
    Mistake(
        name="mean-over-the-places",
        says="Your mean runs over the *words* of a sentence, dim=-2, and your variance over a word's own columns. Both "
        "belong to one word's vector: dim=-1.",
        edits=[(MEAN, "x.mean(dim=-2, keepdim=True)")],
    ),
    Mistake(
        name="variance-over-the-places",
        says="Your variance runs over the *words* of a sentence, dim=-2, and your mean over a word's own columns. Both "
        "belong to one word's vector: dim=-1.",
        edits=[(VARIANCE, "x.var(dim=-2, keepdim=True, unbiased=False)")],
    ),
    Mistake(
        name="normalised-over-the-batch",
        says="You normalise over the batch, as a BatchNorm does: dim=0. A sentence would be translated differently "
        "next to other sentences. Each word's vector is normalised on its own: dim=-1.",
        edits=[(MEAN, "x.mean(dim=0, keepdim=True)"), (VARIANCE, "x.var(dim=0, keepdim=True, unbiased=False)")],
    ),
    Mistake(
        name="normalised-over-everything",
        says="You take one mean and one variance of the whole tensor. It is right for a single vector and wrong for "
        "two: every vector has its own, so dim=-1, keepdim=True.",
        edits=[(MEAN, "x.mean()"), (VARIANCE, "x.var(unbiased=False)")],
    ),
    Mistake(
        name="keepdim-missing",
        says="Your mean or your variance has lost its last axis: of [2, 4, 6] it has shape [2, 4], which torch cannot "
        "hold against 6 columns. keepdim=True, in both, keeps [2, 4, 1], one number for each word.",
        edits=[(MEAN, "x.mean(dim=-1)"), (VARIANCE, "x.var(dim=-1, unbiased=False)")],
    ),
    Mistake(
        name="unbiased-deviation",
        says="Your variance divides by D - 1, torch's default; layer norm divides by D. Of (1, 2, 3, 4, 5, 9) you "
        "get 8 where 20/3 = 6.67 is meant: unbiased=False.",
        edits=[(VARIANCE, "x.var(dim=-1, keepdim=True)")],
    ),
    Mistake(
        name="unbiased-and-eps-outside",
        says="You divide by x.std(...) + eps. Two things are off: torch's std divides by D - 1 unless you say "
        "unbiased=False, and eps belongs under the root, sqrt(variance + eps). Many published versions have exactly "
        "this line; weights trained with one do not fit the other.",
        edits=[(VARIANCE, "x.std(dim=-1, keepdim=True)"), (NORMAL, "(x - mean) / (variance + self.eps)")],
    ),
    Mistake(
        name="eps-outside-the-root",
        says="Your eps is added after the root. It belongs to the variance: sqrt(variance + eps). With the usual "
        "1e-5 you hardly see it; with an eps of 0.5 you do.",
        edits=[(NORMAL, "(x - mean) / (torch.sqrt(variance) + self.eps)")],
    ),
    Mistake(
        name="eps-missing",
        says="There is no eps: a vector of equal numbers has variance 0, and 0/0 is NaN, which spreads to every "
        "weight of the model in one step. Divide by sqrt(variance + eps).",
        edits=[(NORMAL, "(x - mean) / torch.sqrt(variance)")],
    ),
    Mistake(
        name="eps-fixed",
        says="Your eps is always 1e-5, whatever is asked for. Keep the argument: self.eps = eps.",
        edits=[("self.eps = eps", "self.eps = 1e-5")],
    ),
    Mistake(
        name="divided-by-the-variance",
        says="You divide by the variance; it is its square root, the deviation, that has the size of the numbers "
        "themselves.",
        edits=[(NORMAL, "(x - mean) / (variance + self.eps)")],
    ),
    Mistake(
        name="mean-not-subtracted",
        says="You divide by the deviation but leave the mean in. Layer norm subtracts it first. (Leaving it out on "
        "purpose is RMSNorm, stage 26; its denominator is another one.)",
        edits=[(NORMAL, "x / torch.sqrt(variance + self.eps)")],
    ),
    Mistake(
        name="one-weight-for-all-columns",
        says="Your weight and bias are single numbers. Each column has its own: torch.ones(d_model) and "
        "torch.zeros(d_model).",
        edits=[
            (WEIGHT, "self.weight = nn.Parameter(torch.ones(1))"),
            (BIAS, "self.bias = nn.Parameter(torch.zeros(1))"),
        ],
    ),
    Mistake(
        name="weight-is-no-parameter",
        says="Your weight and bias are plain tensors: no optimizer finds them, so they stay 1 and 0 for ever. Wrap "
        "them in nn.Parameter.",
        edits=[(WEIGHT, "self.weight = torch.ones(d_model)"), (BIAS, "self.bias = torch.zeros(d_model)")],
    ),
    Mistake(
        name="weight-and-bias-unused",
        says="Your weight and bias exist, and nothing happens with them. After normalising: times weight, plus bias.",
        edits=[(ANSWER, "return normal")],
    ),
    Mistake(
        name="pre-where-post-was-asked",
        says='You normalise before the sub-layer although the placement is "post". Post, the paper\'s way, hands x itself to the sub-layer and normalises the sum: norm(x + sublayer(x)).',
        edits=[(POST, "return x + self.dropout(sublayer(self.norm(x)))"), (WHICH, "if True:")],
    ),
    Mistake(
        name="post-where-pre-was-asked",
        says='Placement "pre" gives what "post" gives. Pre normalises what goes into the sub-layer and leaves the '
        "sum alone: x + sublayer(norm(x)).",
        edits=[(WHICH, "if False:")],
    ),
    Mistake(
        name="pre-without-norm",
        says='With "pre" nothing is normalised at all: you return x + sublayer(x). Pre normalises what goes into the '
        "sub-layer: x + sublayer(norm(x)).",
        edits=[(PRE, "return x + self.dropout(sublayer(x))")],
    ),
    Mistake(
        name="pre-and-post-swapped",
        says='"pre" and "post" are the wrong way round. The name says where the norm stands: *pre* before the '
        "sub-layer, *post* after the sum.",
        edits=[(WHICH, 'if self.placement == "post":')],
    ),
    Mistake(
        name="residual-taken-after-the-norm",
        says="You normalise first and then add to the *normalised* x. In pre-norm the sum starts from x itself: "
        "that is the straight road on which a gradient comes back unchanged through all layers.",
        edits=[(PRE, "x = self.norm(x)\n            return x + self.dropout(sublayer(x))")],
    ),
    Mistake(
        name="norm-around-the-sublayer-only",
        says="You normalise what the sub-layer returns and add x afterwards. Post-norm normalises the sum: norm(x + "
        "sublayer(x)).",
        edits=[(POST, "return x + self.norm(self.dropout(sublayer(x)))")],
    ),
    Mistake(
        name="no-residual",
        says="x itself is missing from the result: you return norm(sublayer(x)). The sub-layer only says what to "
        "*change*; add it to x. Without the sum, six layers hardly learn.",
        edits=[
            (POST, "return self.norm(self.dropout(sublayer(x)))"),
            (PRE, "return self.dropout(sublayer(self.norm(x)))"),
        ],
    ),
    Mistake(
        name="pre-normalised-at-the-end-too",
        says="In pre-norm you normalise the sum as well. Pre leaves the sum alone; one norm at the very end of the "
        "stack (stage 13) takes its place.",
        edits=[(PRE, "return self.norm(x + self.dropout(sublayer(self.norm(x))))")],
    ),
    Mistake(
        name="dropout-on-the-sum",
        says="Your dropout falls on the sum, so that parts of x itself are lost. Section 5.4 drops from what the "
        "sub-layer returns, *before* it is added.",
        edits=[
            (PRE, "return self.dropout(x + sublayer(self.norm(x)))"),
            (POST, "return self.norm(self.dropout(x + sublayer(x)))"),
        ],
    ),
    Mistake(
        name="dropout-ignored",
        says="The argument `dropout` does nothing: with 0.5 in training, half of what the sub-layer returns should "
        "become 0.",
        edits=[(PRE, "return x + sublayer(self.norm(x))"), (POST, "return self.norm(x + sublayer(x))")],
    ),
    Mistake(
        name="no-dropout-in-post",
        says="With pre your dropout works, with post there is none: norm(x + dropout(sublayer(x))).",
        edits=[(POST, "return self.norm(x + sublayer(x))")],
    ),
    Mistake(
        name="no-dropout-in-pre",
        says="With post your dropout works, with pre there is none: x + dropout(sublayer(norm(x))).",
        edits=[(PRE, "return x + sublayer(self.norm(x))")],
    ),
    Mistake(
        name="dropout-on-the-sub-layer-s-input",
        says="Your dropout falls on what goes *into* the sub-layer. Section 5.4 drops from what comes out of it, before it is "
        "added to x.",
        edits=[
            (PRE, "return x + sublayer(self.dropout(self.norm(x)))"),
            (POST, "return self.norm(x + sublayer(self.dropout(x)))"),
        ],
    ),
    Mistake(
        name="dropout-never-stops",
        says="Your dropout drops even after eval(): the same sentence would be translated differently each time. Use "
        "nn.Dropout, or give the function training=self.training.",
        edits=[
            (PRE, "return x + nn.functional.dropout(sublayer(self.norm(x)), self.dropout.p)"),
            (POST, "return self.norm(x + nn.functional.dropout(sublayer(x), self.dropout.p))"),
        ],
    ),
]
