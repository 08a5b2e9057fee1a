"""What people get wrong about the three modern parts."""

from glassformer.course.mistakes import Mistake

SQUARE = "mean_square = x.square().mean(dim=-1, keepdim=True)"
DIVIDE = "x / torch.sqrt(mean_square + self.eps) * self.weight"
TURN = "torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)"
FREQUENCIES = "10000.0 ** (-torch.arange(0, width, 2) / width)"
KEY = "key = rotate(key, torch.arange(key.size(-2)))"
GATED = "F.silu(self.gate(x)) * self.widen(x)"

MISTAKES = [
    Mistake(
        name="mean-subtracted",
        says="You subtract the mean first: that is a layer norm. RMSNorm leaves the mean in; (3, 4) becomes (0.849, 1.131), not "
        "(-1, 1).",
        edits=[("        " + SQUARE, "        x = x - x.mean(dim=-1, keepdim=True)\n        " + SQUARE)],
    ),
    Mistake(
        name="sum-instead-of-mean",
        says="You divide by the length of the vector, the root of the *sum* of squares: (3, 4) becomes (0.6, 0.8). It is the root of "
        "the *mean*, so that the numbers keep a size of about 1 however wide the vector is.",
        edits=[(SQUARE, "mean_square = x.square().sum(dim=-1, keepdim=True)")],
    ),
    Mistake(
        name="root-forgotten",
        says="You divide by the mean of the squares, not by its root: twice as large a vector would come out half as large.",
        edits=[(DIVIDE, "x / (mean_square + self.eps) * self.weight")],
    ),
    Mistake(
        name="mean-over-everything",
        says="Your mean runs over the whole tensor, so one loud word makes all others quiet. Each vector is normalised by itself: "
        "dim=-1, keepdim=True.",
        edits=[(SQUARE, "mean_square = x.square().mean()")],
    ),
    Mistake(
        name="eps-outside-the-root",
        says="You add eps after the root. It belongs under it: sqrt(mean + eps). With eps 0.5 you divide by up to 0.5 too much; with 1e-6 it "
        "hardly shows, but trained weights would give slightly different answers.",
        edits=[(DIVIDE, "x / (torch.sqrt(mean_square) + self.eps) * self.weight")],
    ),
    Mistake(
        name="weight-is-no-parameter",
        says="Your weight is a plain tensor: no optimizer will ever see it, and it is not saved. Make it an nn.Parameter.",
        edits=[("nn.Parameter(torch.ones(d_model))", "torch.ones(d_model)")],
    ),
    Mistake(
        name="norm-with-a-bias",
        says="Your RMSNorm has a second parameter. It has one weight a column and no bias: nothing was subtracted, so nothing is added back.",
        edits=[("self.weight = nn.Parameter(torch.ones(d_model))",
                "self.weight = nn.Parameter(torch.ones(d_model))\n        self.bias = nn.Parameter(torch.zeros(d_model))"),
               (DIVIDE, DIVIDE + " + self.bias")],
    ),
    Mistake(
        name="weight-not-used",
        says="Your weight is never multiplied in. It starts at ones, so it does not show at first; after training it does.",
        edits=[(DIVIDE, "x / torch.sqrt(mean_square + self.eps)")],
    ),
    Mistake(
        name="places-counted-from-one",
        says="Your place 0 is turned already. Places count from 0, and place 0 has the angle 0: it stays as it is.",
        edits=[("places[:, None] * frequencies", "(places[:, None] + 1) * frequencies")],
    ),
    Mistake(
        name="turned-the-wrong-way",
        says="You turn clockwise: the signs of the sines are swapped. Distances come out right all the same, since queries and keys turn alike, but a "
        "model trained the usual way would read them mirrored. It is a cos - b sin, and b cos + a sin.",
        edits=[(TURN, "torch.cat((first * cos + second * sin, second * cos - first * sin), dim=-1)")],
    ),
    Mistake(
        name="no-rotation-but-a-mix",
        says="Both halves get the same sign at the sine, so your pairs are not turned: their lengths change. A rotation needs one minus: "
        "a cos - b sin, b cos + a sin.",
        edits=[(TURN, "torch.cat((first * cos + second * sin, second * cos + first * sin), dim=-1)")],
    ),
    Mistake(
        name="halves-swapped",
        says="Your two halves come out in the wrong order: first what column j becomes (a cos - b sin), then what column j + E/2 becomes.",
        edits=[(TURN, "torch.cat((second * cos + first * sin, first * cos - second * sin), dim=-1)")],
    ),
    Mistake(
        name="neighbours-paired",
        says="You pair neighbours, columns 2j and 2j + 1. So did the first rotary paper, and it would learn just as well; but this form pairs "
        "column j with column j + E/2, and weights trained one way are useless the other way.",
        edits=[("first, second = x.chunk(2, dim=-1)", "first, second = x[..., 0::2], x[..., 1::2]"),
               (TURN, "torch.stack((first * cos - second * sin, second * cos + first * sin), dim=-1).flatten(-2)")],
    ),
    Mistake(
        name="frequency-exponent-off-by-two",
        says="Your frequencies fall half as fast: 10000^(-j/E) instead of 10000^(-2j/E). They should reach nearly 1/10000 at the last pair: "
        "for width 8 they are 1, 0.1, 0.01, 0.001.",
        edits=[(FREQUENCIES, "10000.0 ** (-torch.arange(width // 2) / width)")],
    ),
    Mistake(
        name="one-frequency-for-all",
        says="All your pairs turn at the same speed, so places that are a full turn apart (about 6) look the same. Each pair has its own frequency, "
        "10000^(-2j/E).",
        edits=[(FREQUENCIES, "torch.ones(width // 2)")],
    ),
    Mistake(
        name="values-rotated",
        says="You rotate the values too. Rotation is there for the scores; a value says *what* a word is, and mixing values turned by different angles "
        "would blur it. Queries and keys only.",
        edits=[(KEY, KEY + "\n    value = rotate(value, torch.arange(value.size(-2)))")],
    ),
    Mistake(
        name="keys-not-rotated",
        says="You rotate the queries only. Then a score depends on where the query stands, not on how far away the key is. Both must turn.",
        edits=[("    " + KEY + "\n", "")],
    ),
    Mistake(
        name="gate-on-the-wrong-branch",
        says="You activate widen and leave the gate as it is: silu(widen(x)) * gate(x). With weights of your own that would learn the same, but trained "
        "weights have their names: the silu goes round gate.",
        edits=[(GATED, "F.silu(self.widen(x)) * self.gate(x)")],
    ),
    Mistake(
        name="both-branches-activated",
        says="You put both branches through silu. Only the gate is activated; widen carries the content, and stays linear.",
        edits=[(GATED, "F.silu(self.gate(x)) * F.silu(self.widen(x))")],
    ),
    Mistake(
        name="activated-after-the-product",
        says="You activate the product of the two branches. The silu belongs to the gate alone, before the multiplication.",
        edits=[(GATED, "F.silu(self.gate(x) * self.widen(x))")],
    ),
    Mistake(
        name="gate-added",
        says="You add the two branches. A gate opens and closes: it multiplies, column by column.",
        edits=[(GATED, "F.silu(self.gate(x)) + self.widen(x)")],
    ),
    Mistake(
        name="sigmoid-gate",
        says="Your gate goes through a sigmoid: that is the older GLU. The Swi in SwiGLU is silu (also called swish): x * sigmoid(x).",
        edits=[(GATED, "torch.sigmoid(self.gate(x)) * self.widen(x)")],
    ),
    Mistake(
        name="linear-maps-with-biases",
        says="Your linear maps have biases. Modern models do without: nn.Linear(..., bias=False).",
        edits=[("self.gate = nn.Linear(d_model, d_ff, bias=False)", "self.gate = nn.Linear(d_model, d_ff)"),
               ("self.widen = nn.Linear(d_model, d_ff, bias=False)", "self.widen = nn.Linear(d_model, d_ff)"),
               ("self.narrow = nn.Linear(d_ff, d_model, bias=False)", "self.narrow = nn.Linear(d_ff, d_model)")],
    ),
]  # fmt: skip
