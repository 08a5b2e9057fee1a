"""What people get wrong about the decoder."""

from glassformer.course.mistakes import Mistake

LAYERS = "nn.ModuleList([DecoderLayer(d_model, n_heads, d_ff, dropout, placement) for _ in range(n_layers)])"
BACK = "self.self_attention(y, y, y, visible)[0]"
OVER = "self.cross_attention(y, memory, memory, memory_visible)[0]"
LOOK_BACK = "x = self.self_attention_residual(x, look_back)"
LOOK_OVER = "x = self.cross_attention_residual(x, look_over)"
NORM = 'self.norm = LayerNorm(d_model) if placement == "pre" else nn.Identity()'
LOOP = "for layer in self.layers:"
STEP = "x = layer(x, memory, visible, memory_visible)"
RESIDUAL = "self.{}_residual = Residual(LayerNorm(d_model), placement, dropout)"

MISTAKES = [
    Mistake(
        name="cross-attention-calls-self-attention",
        says="Looking over to the source you call self.self_attention: the weights that learnt to look back are used a second "
        "time, and self.cross_attention is never used at all. One word to change.",
        edits=[(OVER, "self.self_attention(y, memory, memory, memory_visible)[0]")],
    ),
    Mistake(
        name="keys-from-the-decoder",
        says="Your cross-attention looks at the translation, not at the source: keys and values come from the decoder's own "
        "vectors, and the memory is never read. Query from the decoder; key and value from `memory`.",
        edits=[(OVER, "self.cross_attention(y, y, y, visible)[0]")],
    ),
    Mistake(
        name="no-cross-attention",
        says="Your layer never looks at the memory: it is a language model that would write fluent Hindi about nothing. Between "
        "self-attention and feed-forward stands cross-attention.",
        edits=[(LOOK_OVER, "pass")],
    ),
    Mistake(
        name="source-pads-seen-in-cross-attention",
        says="Your cross-attention looks at the source's pads: `memory_visible` does not reach it. The encoder hides pads among "
        "themselves; here they are keys once more, and must be hidden once more.",
        edits=[(OVER, "self.cross_attention(y, memory, memory)[0]")],
    ),
    Mistake(
        name="future-visible",
        says="Your decoder sees the future: place 0 changes when the word at place 3 does. `visible` does not reach "
        "self-attention. In training the model would copy the answer; alone, it would know nothing.",
        edits=[(BACK, "self.self_attention(y, y, y)[0]")],
    ),
    Mistake(
        name="cross-before-self",
        says="You look over to the source before looking back at the translation. Figure 1, from below: masked self-attention, "
        "then the attention that gets an arrow from the encoder.",
        edits=[(f"{LOOK_BACK}\n        {LOOK_OVER}", f"{LOOK_OVER}\n        {LOOK_BACK}")],
    ),
    Mistake(
        name="no-residual-around-cross-attention",
        says="Cross-attention *replaces* x in your layer: what the decoder knew of its own words is gone. It goes through "
        "self.cross_attention_residual like the other two.",
        edits=[(LOOK_OVER, "x = look_over(x)")],
    ),
    Mistake(
        name="residual-of-self-attention-used-twice",
        says="Two sub-layers use self_attention_residual, and so one norm. There are three residuals: each sub-layer has its "
        "own.",
        edits=[(LOOK_OVER, "x = self.self_attention_residual(x, look_over)")],
    ),
    Mistake(
        name="memory-normalised-again",
        says="With pre you normalise the memory inside the layer. The encoder's final norm has done that; only the queries pass "
        "this residual's norm. Use `memory` as it came.",
        edits=[
            (OVER, "self.cross_attention(y, self.norm_of(memory), self.norm_of(memory), memory_visible)[0]"),
            (
                "        def look_back(y: Tensor)",
                "        self.norm_of = self.cross_attention_residual.norm if self.is_pre else nn.Identity()\n\n"
                "        def look_back(y: Tensor)",
            ),
            (
                "        self.cross_attention = MultiHeadAttention",
                '        self.is_pre = placement == "pre"\n        self.cross_attention = MultiHeadAttention',
            ),
        ],
    ),
    Mistake(
        name="look-over-ignores-what-it-is-handed",
        says="Post is right, pre is not: your cross-attention asks with x from outside, not with what the residual hands to it. "
        "With pre that is the *normalised* x.",
        edits=[(OVER, "self.cross_attention(x, memory, memory, memory_visible)[0]")],
    ),
    Mistake(
        name="memory-for-the-first-layer-only",
        says="Only your first layer looks at the source; the second is handed x in its place. The memory is the same for all "
        "layers: the encoder's last word, read by each.",
        edits=[
            (LOOP, "for number, layer in enumerate(self.layers):"),
            (STEP, "x = layer(x, memory, visible, memory_visible) if number == 0 else layer(x, x, visible, visible)"),
        ],
    ),
    Mistake(
        name="memory-replaced-on-the-way",
        says="You hand each layer's output on as the next layer's *memory*, and keep x. It is the other way: x changes from "
        "layer to layer, the memory stays.",
        edits=[
            (LOOP, "begun = x\n        for layer in self.layers:"),
            (
                STEP,
                "x = memory = layer(begun, memory, visible, memory_visible if memory.size(1) != x.size(1) else None)",
            ),
        ],
    ),
    Mistake(
        name="masks-for-the-first-layer-only",
        says="Only your first layer gets the masks; in the second the future is open again. What one layer hides, any other can "
        "give away: every layer needs both.",
        edits=[
            (LOOP, "for number, layer in enumerate(self.layers):"),
            (STEP, "x = layer(x, memory, visible, memory_visible) if number == 0 else layer(x, memory)"),
        ],
    ),
    Mistake(
        name="one-layer-for-all",
        says="All your layers are one and the same object: `[layer] * n` repeats the reference, so one layer more brings no "
        "weight more. Make a new DecoderLayer each time: a list comprehension does.",
        edits=[(LAYERS, "nn.ModuleList([DecoderLayer(d_model, n_heads, d_ff, dropout, placement)] * n_layers)")],
    ),
    Mistake(
        name="layers-in-a-plain-list",
        says="Your layers stand in a Python list, where torch does not see them: `.parameters()` misses their weights, and an "
        "optimizer would train nothing. Put them into an nn.ModuleList.",
        edits=[(LAYERS, "[DecoderLayer(d_model, n_heads, d_ff, dropout, placement) for _ in range(n_layers)]")],
    ),
    Mistake(
        name="final-norm-after-post",
        says="Your stack normalises once more at its end although placement is post: the last layer has just done that.",
        edits=[(NORM, "self.norm = LayerNorm(d_model)")],
    ),
    Mistake(
        name="no-final-norm-with-pre",
        says="With pre your decoder ends in a bare sum, and the logits would grow with every layer. Put a LayerNorm after the "
        "last layer, as in the encoder.",
        edits=[(NORM, "self.norm = nn.Identity()")],
    ),
    Mistake(
        name="number-of-layers-fixed",
        says="Your decoder has two layers whatever it is asked for: asked for three, it has two. range(n_layers), not range(2).",
        edits=[(LAYERS, LAYERS.replace("range(n_layers)", "range(2)"))],
    ),
    Mistake(
        name="no-dropout-in-the-residuals",
        says="No residual of your layer drops anything. The feed-forward's own dropout, inside it, does not replace that: section "
        "5.4 drops from what each sub-layer says before it is added. Hand `dropout` to all three residuals.",
        edits=[
            (RESIDUAL.format("self_attention"), RESIDUAL.format("self_attention").replace(", dropout", "")),
            (RESIDUAL.format("cross_attention"), RESIDUAL.format("cross_attention").replace(", dropout", "")),
            (RESIDUAL.format("feed_forward"), RESIDUAL.format("feed_forward").replace(", dropout", "")),
        ],
    ),
    Mistake(
        name="no-dropout-around-self-attention",
        says="What self-attention says is never dropped: self_attention_residual is made without the rate. Hand `dropout` to all "
        "three residuals.",
        edits=[(RESIDUAL.format("self_attention"), RESIDUAL.format("self_attention").replace(", dropout", ""))],
    ),
    Mistake(
        name="no-dropout-around-cross-attention",
        says="What cross-attention says is never dropped: cross_attention_residual is made without the rate. Hand `dropout` to all "
        "three residuals.",
        edits=[(RESIDUAL.format("cross_attention"), RESIDUAL.format("cross_attention").replace(", dropout", ""))],
    ),
    Mistake(
        name="no-dropout-around-feed-forward",
        says="What the feed-forward says is never dropped: feed_forward_residual is made without the rate. Hand `dropout` to all "
        "three residuals.",
        edits=[(RESIDUAL.format("feed_forward"), RESIDUAL.format("feed_forward").replace(", dropout", ""))],
    ),
    Mistake(
        name="dropout-not-handed-on",
        says="Your decoder takes a dropout rate and forgets it: in training, two runs with 0.5 give the same numbers. Hand it "
        "on to every layer, and from there to its residuals.",
        edits=[(LAYERS, LAYERS.replace("d_ff, dropout, placement", "d_ff, 0.0, placement"))],
    ),
]
