"""What people get wrong about the encoder."""

from glassformer.course.mistakes import Mistake

LAYERS = "nn.ModuleList([EncoderLayer(d_model, n_heads, d_ff, dropout, placement) for _ in range(n_layers)])"
LOOK = "output, _ = self.self_attention(y, y, y, visible)"
ATTEND = "x = self.self_attention_residual(x, look_around)"
THINK = "return self.feed_forward_residual(x, self.feed_forward)"
NORM = 'self.norm = LayerNorm(d_model) if placement == "pre" else nn.Identity()'
RESIDUAL = "self.{}_residual = Residual(LayerNorm(d_model), placement, dropout)"

MISTAKES = [
    Mistake(
        name="one-layer-for-all",
        says="All your layers are one and the same object: `[layer] * n` repeats the reference, so every layer shares one "
        "W_Q, one W_K, one of everything. Make a new EncoderLayer each time: a list comprehension does.",
        edits=[(LAYERS, "nn.ModuleList([EncoderLayer(d_model, n_heads, d_ff, dropout, placement)] * n_layers)")],
    ),
    Mistake(
        name="layers-in-a-plain-list",
        says="Your layers stand in a Python list, where torch does not see them: `.parameters()` misses their weights, and an "
        "optimizer would train nothing. Put them into an nn.ModuleList.",
        edits=[(LAYERS, "[EncoderLayer(d_model, n_heads, d_ff, dropout, placement) for _ in range(n_layers)]")],
    ),
    Mistake(
        name="no-mask",
        says="The mask does not reach your attention: with two pads hidden the answer is the same as without. Hand `visible` "
        "on, as the fourth argument.",
        edits=[(LOOK, "output, _ = self.self_attention(y, y, y)")],
    ),
    Mistake(
        name="mask-for-the-first-layer-only",
        says="Only your first layer gets the mask. Pads are vectors like any other, and the second layer would look at them "
        "again: every layer needs `visible`.",
        edits=[
            ("for layer in self.layers:", "for number, layer in enumerate(self.layers):"),
            ("x = layer(x, visible)", "x = layer(x, visible if number == 0 else None)"),
        ],
    ),
    Mistake(
        name="every-layer-reads-the-embeddings",
        says="Each of your layers reads what the *first* one was given, so only the last layer counts. The output of one layer "
        "is the input of the next: keep it in the same variable.",
        edits=[
            ("for layer in self.layers:", "embedded = x\n        for layer in self.layers:"),
            ("x = layer(x, visible)", "x = layer(embedded, visible)"),
        ],
    ),
    Mistake(
        name="feed-forward-first",
        says="Your layer thinks before it looks: feed-forward stands before attention. In figure 1 attention is the lower "
        "box, and the arrows go up.",
        edits=[
            (
                f"{ATTEND}\n        {THINK}",
                "x = self.feed_forward_residual(x, self.feed_forward)\n        return self.self_attention_residual(x, look_around)",
            )
        ],
    ),
    Mistake(
        name="one-norm-for-both",
        says="Both sub-layers share one residual and so one norm. They are two in figure 1 (two boxes Add & Norm), each with "
        "a scale of its own to learn.",
        edits=[
            (
                "self.feed_forward_residual = Residual(LayerNorm(d_model), placement, dropout)",
                "self.feed_forward_residual = self.self_attention_residual",
            )
        ],
    ),
    Mistake(
        name="added-twice",
        says="You add x again: `x + residual(x, ...)`. Your Residual from stage 12 has added it already; its answer is the new "
        "x.",
        edits=[
            (ATTEND, "x = x + self.self_attention_residual(x, look_around)"),
            (THINK, "return x + self.feed_forward_residual(x, self.feed_forward)"),
        ],
    ),
    Mistake(
        name="no-residual",
        says="Your sub-layers replace x instead of adding to it: the residuals are made in __init__ but never called. Write "
        "x = self.self_attention_residual(x, ...), and the same for the feed-forward.",
        edits=[(ATTEND, "x = look_around(x)"), (THINK, "return self.feed_forward(x)")],
    ),
    Mistake(
        name="sub-layer-ignores-what-it-is-handed",
        says="Post is right, pre is not: your attention uses x from outside, not what the residual hands to it. With pre that "
        "is the *normalised* x. Use the function's own argument three times.",
        edits=[(LOOK, "output, _ = self.self_attention(x, x, x, visible)")],
    ),
    Mistake(
        name="only-the-query-is-normalised",
        says="Post is right, pre is not: your query is what the residual hands over (normalised), your keys and values are the "
        "x from outside (not normalised). In self-attention all three are the same vectors.",
        edits=[(LOOK, "output, _ = self.self_attention(y, x, x, visible)")],
    ),
    Mistake(
        name="placement-not-handed-on",
        says="Your layer is always post, whatever it is asked for: `placement` is not handed on to the residuals.",
        edits=[
            (
                "self.self_attention_residual = Residual(LayerNorm(d_model), placement, dropout)",
                'self.self_attention_residual = Residual(LayerNorm(d_model), "post", dropout)',
            ),
            (
                "self.feed_forward_residual = Residual(LayerNorm(d_model), placement, dropout)",
                'self.feed_forward_residual = Residual(LayerNorm(d_model), "post", dropout)',
            ),
        ],
    ),
    Mistake(
        name="final-norm-after-post",
        says="Your stack normalises once more at its end although placement is post: the last layer has just done that. The "
        "norm after the stack belongs to pre alone.",
        edits=[(NORM, "self.norm = LayerNorm(d_model)")],
    ),
    Mistake(
        name="no-final-norm-with-pre",
        says="With pre your stack ends in a bare sum: each layer added to x and none normalised the result. Put a LayerNorm "
        "after the last layer.",
        edits=[(NORM, "self.norm = nn.Identity()")],
    ),
    Mistake(
        name="number-of-layers-fixed",
        says="Your encoder has two layers whatever it is asked for: asked for three, it has two. range(n_layers), not range(2).",
        edits=[(LAYERS, LAYERS.replace("range(n_layers)", "range(2)"))],
    ),
    Mistake(
        name="no-dropout-in-the-residuals",
        says="No residual of your layer drops anything. The feed-forward's own dropout, inside it, does not replace that: section "
        "5.4 drops from what each sub-layer says before it is added. Hand `dropout` to both residuals.",
        edits=[
            (RESIDUAL.format("self_attention"), RESIDUAL.format("self_attention").replace(", dropout", "")),
            (RESIDUAL.format("feed_forward"), RESIDUAL.format("feed_forward").replace(", dropout", "")),
        ],
    ),
    Mistake(
        name="no-dropout-around-self-attention",
        says="What self-attention says is never dropped: self_attention_residual is made without the rate. Hand `dropout` to both "
        "residuals.",
        edits=[(RESIDUAL.format("self_attention"), RESIDUAL.format("self_attention").replace(", dropout", ""))],
    ),
    Mistake(
        name="no-dropout-around-feed-forward",
        says="What the feed-forward says is never dropped: feed_forward_residual is made without the rate. Hand `dropout` to both "
        "residuals.",
        edits=[(RESIDUAL.format("feed_forward"), RESIDUAL.format("feed_forward").replace(", dropout", ""))],
    ),
    Mistake(
        name="dropout-not-handed-on",
        says="Your encoder takes a dropout rate and forgets it: in training, two runs with 0.5 give the same numbers. Hand it "
        "on to every layer, and from there to both residuals.",
        edits=[(LAYERS, LAYERS.replace("d_ff, dropout, placement", "d_ff, 0.0, placement"))],
    ),
]
