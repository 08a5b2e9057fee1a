"""What people get wrong when the parts come together."""

from glassformer.course.mistakes import Mistake

FIRST = "        self.set_first_weights()\n"
SOURCE = "x = self.positions(self.embedding(src))"
TARGET = "x = self.positions(self.embedding(tgt_in))"
PROJECT = "return x @ matrix.T"
ENCODE = "return self.encoder(x, real_places(src, self.pad_id))"
DECODE = "return self.decoder(x, memory, future, real_places(src, self.pad_id))"

MISTAKES = [
    Mistake(
        name="layer-counts-swapped",
        says="Your encoder has the decoder's number of layers and the other way round. The arguments come as n_encoder_layers, "
        "n_decoder_layers: here 1 and 2.",
        edits=[
            ("Encoder(n_encoder_layers, d_model", "Encoder(n_decoder_layers, d_model"),
            ("Decoder(n_decoder_layers, d_model", "Decoder(n_encoder_layers, d_model"),
        ],
    ),
    Mistake(
        name="projection-not-tied",
        says="Your output has a matrix of its own: an optimizer finds two tables of 17 tokens. The paper (3.4) uses the "
        "embedding's matrix a second time: project is x @ table transposed.",
        edits=[
            (FIRST, f"        self.output = nn.Linear(d_model, vocab_size, bias=False)\n{FIRST}"),
            (PROJECT, "return self.output(x)"),
        ],
    ),
    Mistake(
        name="two-embeddings",
        says="Source and target have a table each: an optimizer finds two. One vocabulary serves both languages here, so one "
        "table serves both sides, and the output too (3.4).",
        edits=[
            (FIRST, f"        self.target_embedding = TokenEmbedding(vocab_size, d_model)\n{FIRST}"),
            (TARGET, "x = self.positions(self.target_embedding(tgt_in))"),
        ],
    ),
    Mistake(
        name="not-scaled",
        says="Your vectors come from the table unscaled. Call your TokenEmbedding, not its table: stage 09's forward multiplies "
        "by sqrt(d_model), and without it the positions drown the words.",
        edits=[
            (SOURCE, "x = self.positions(self.embedding.table(src))"),
            (TARGET, "x = self.positions(self.embedding.table(tgt_in))"),
        ],
    ),
    Mistake(
        name="scaled-twice",
        says="Your vectors are multiplied by sqrt(d_model) twice: your TokenEmbedding has done it already. Now the words drown "
        "the positions.",
        edits=[
            (SOURCE, "x = self.positions(self.embedding(src) * memory_scale(self))"),
            (TARGET, "x = self.positions(self.embedding(tgt_in) * memory_scale(self))"),
            (
                "class Transformer(nn.Module):",
                "def memory_scale(model):\n    return model.embedding.table.weight.size(1) ** 0.5\n\n\n"
                "class Transformer(nn.Module):",
            ),
        ],
    ),
    Mistake(
        name="no-positions",
        says='You never add positions: to your model "dog bites man" and "man bites dog" are the same. Both embeddings go '
        "through self.positions.",
        edits=[(SOURCE, "x = self.embedding(src)"), (TARGET, "x = self.embedding(tgt_in)")],
    ),
    Mistake(
        name="no-positions-for-the-target",
        says="Your source gets positions, your target does not. In figure 1 there is a wave on both sides: decode needs "
        "self.positions too.",
        edits=[(TARGET, "x = self.embedding(tgt_in)")],
    ),
    Mistake(
        name="decoder-embeds-the-source",
        says="Your decoder embeds `src`, so it answers with a vector for each of the source's six places, whatever has been "
        "translated so far. It reads tgt_in; the source reaches it through the memory.",
        edits=[(TARGET, SOURCE)],
    ),
    Mistake(
        name="source-pads-seen-by-the-encoder",
        says="Your encoder looks at pads: a sentence's memory changes with how long its neighbours in the batch are. Hand it "
        "real_places(src, pad_id).",
        edits=[(ENCODE, "return self.encoder(x)")],
    ),
    Mistake(
        name="source-pads-seen-by-the-decoder",
        says="Your decoder looks at the source's pads: cross-attention gets no mask. That is what decode is given `src` for: "
        "real_places(src, pad_id) as memory_visible.",
        edits=[(DECODE, "return self.decoder(x, memory, future)")],
    ),
    Mistake(
        name="future-visible",
        says="Your decoder sees the whole target while it predicts it: with one word so far it is right, with four it is not. "
        "Hand it no_future as `visible`.",
        edits=[(DECODE, "return self.decoder(x, memory, None, real_places(src, self.pad_id))")],
    ),
    Mistake(
        name="decoder-masked-by-the-wrong-side",
        says="You hide the future upside down: transposed, each place sees itself and what comes *after*. Rows are queries, and "
        "the lower triangle is the past.",
        edits=[("no_future(x.size(1)).to(x.device)", "no_future(x.size(1)).to(x.device).T")],
    ),
    Mistake(
        name="projected-by-scaled-vectors",
        says="You project with the *scaled* vectors: your logits are sqrt(d_model) times too large. The table as it is: "
        "embedding.table's weight, not what embedding(...) returns.",
        edits=[(PROJECT, "return x @ matrix.T * matrix.size(1) ** 0.5")],
    ),
    Mistake(
        name="softmax-in-project",
        says="project returns probabilities: there is a softmax in it. The loss of stage 18 takes logits and normalises them "
        "itself, in a way that does not lose small numbers; a second softmax would flatten everything.",
        edits=[(PROJECT, "return (x @ matrix.T).softmax(dim=-1)")],
    ),
    Mistake(
        name="memory-is-not-the-encoder-s",
        says="forward hands the decoder the source's *embeddings*: the encoder's answer is thrown away. memory = encode(src), and "
        "that goes into decode.",
        edits=[("memory = self.encode(src)", "memory = self.positions(self.embedding(src))")],
    ),
    Mistake(
        name="placement-not-handed-on",
        says="Your model is always post, whatever it is asked for: hand `placement` on to the encoder and to the decoder.",
        edits=[
            (
                "Encoder(n_encoder_layers, d_model, n_heads, d_ff, dropout, placement)",
                "Encoder(n_encoder_layers, d_model, n_heads, d_ff, dropout)",
            ),
            (
                "Decoder(n_decoder_layers, d_model, n_heads, d_ff, dropout, placement)",
                "Decoder(n_decoder_layers, d_model, n_heads, d_ff, dropout)",
            ),
        ],
    ),
    Mistake(
        name="pad-is-always-0",
        says="Your masks take 0 for the pad, whatever pad_id is: with pad 1 the pads are seen, and a real token may vanish. Keep "
        "the argument: self.pad_id = pad_id.",
        edits=[("self.pad_id = pad_id", "self.pad_id = 0")],
    ),
    Mistake(
        name="first-weights-left-to-torch",
        says="Your matrices have torch's own first weights, 0.58 of the size that Xavier asks for: signals fade from layer to "
        "layer. Go through self.modules() and call nn.init.xavier_uniform_ on each nn.Linear.",
        edits=[(FIRST, "")],
    ),
    Mistake(
        name="table-of-size-one",
        says="Your table starts with entries of size 1, as nn.Embedding makes them: scaled by sqrt(d_model) they drown the "
        "positions, and tied to the output they make the first loss several times too large. Make them 1 / sqrt(d_model).",
        edits=[(FIRST, f"{FIRST}        nn.init.normal_(self.embedding.table.weight)\n")],
    ),
    Mistake(
        name="no-dropout-on-embeddings",
        says="The paper drops out embeddings plus positions too (5.4): your Positions does not get the rate.",
        edits=[("Positions(d_model, max_length, dropout)", "Positions(d_model, max_length)")],
    ),
    Mistake(
        name="no-dropout-in-the-stacks",
        says="Your encoder and your decoder do not get the rate: with 0.5, two runs in training give the same "
        "numbers. Hand `dropout` to both.",
        edits=[
            (
                "Encoder(n_encoder_layers, d_model, n_heads, d_ff, dropout, placement)",
                "Encoder(n_encoder_layers, d_model, n_heads, d_ff, 0.0, placement)",
            ),
            (
                "Decoder(n_decoder_layers, d_model, n_heads, d_ff, dropout, placement)",
                "Decoder(n_decoder_layers, d_model, n_heads, d_ff, 0.0, placement)",
            ),
        ],
    ),
    Mistake(
        name="no-dropout-in-the-encoder",
        says="Your encoder does not get the rate: your decoder drops, your encoder never does. Hand `dropout` to both.",
        edits=[
            (
                "Encoder(n_encoder_layers, d_model, n_heads, d_ff, dropout, placement)",
                "Encoder(n_encoder_layers, d_model, n_heads, d_ff, 0.0, placement)",
            ),
        ],
    ),
    Mistake(
        name="no-dropout-in-the-decoder",
        says="Your decoder does not get the rate: your encoder drops, your decoder never does. Hand `dropout` to both.",
        edits=[
            (
                "Decoder(n_decoder_layers, d_model, n_heads, d_ff, dropout, placement)",
                "Decoder(n_decoder_layers, d_model, n_heads, d_ff, 0.0, placement)",
            ),
        ],
    ),
]
