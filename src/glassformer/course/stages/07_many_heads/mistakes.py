"""What people get wrong about heads."""

from glassformer.course.mistakes import Mistake

VIEW = "x = x.view(n_sentences, n_places, n_heads, width // n_heads)"
TURN = "return x.transpose(1, 2)  # [B, H, S, E]"
TURN_BACK = "x = x.transpose(1, 2)  # [B, S, H, E]"
FLAT = "return x.flatten(2)  # [B, S, D]"
QUERIES, KEYS, VALUES = (f"split_heads(self.{name}({name}), self.n_heads)" for name in ("query", "key", "value"))
CALL = "mixture, weights = attention(queries, keys, values, visible)"
ANSWER = "return self.out(merge_heads(mixture)), weights"
MADE = [f"self.{name} = nn.Linear(d_model, d_model)" for name in ("query", "key", "value", "out")]

MISTAKES = [
    Mistake(
        name="chunks-of-that-width",
        says="Your heads are chunks of *width* 3; 3 heads were asked for. x.split(n) makes pieces of size n, "
        "x.chunk(n) makes n pieces. With 9 columns and 3 heads you would never have noticed.",
        edits=[
            (VIEW, "x = torch.stack(x.split(n_heads, dim=-1), dim=2)"),
            ("from torch import Tensor, nn", "import torch\nfrom torch import Tensor, nn"),
        ],
    ),
    Mistake(
        name="chunks-of-that-width-in-front",
        says="Two things at once: x.split(n) makes pieces *of size* n (you got 4 heads of width 3, and 3 heads were "
        "asked for; x.chunk(n) makes n pieces), and torch.stack puts them in front of the sentences unless you say "
        "dim=1.",
        edits=[
            (VIEW, "x = torch.stack(x.split(n_heads, dim=-1))"),
            (TURN, "return x"),
            ("from torch import Tensor, nn", "import torch\nfrom torch import Tensor, nn"),
        ],
    ),
    Mistake(
        name="view-without-transpose",
        says="The shape is right and the contents are not: you viewed [B, S, D] as [B, H, S, E] at once, which "
        "deals the numbers out in the order of memory, so that a head gets pieces of several words. First view as "
        "[B, S, H, E], then transpose places and heads.",
        edits=[(VIEW, ""), (TURN, "return x.view(n_sentences, n_heads, n_places, width // n_heads)")],
    ),
    Mistake(
        name="heads-not-moved-forward",
        says="Your heads stand behind the places: [B, S, H, E]. Attention mixes over the last axis but one, which "
        "must be the places: transpose(1, 2).",
        edits=[(TURN, "return x")],
    ),
    Mistake(
        name="every-third-column",
        says="Your head 0 has columns 0, 3, 6, 9: you cut the width as (E, H) instead of (H, E). Heads are "
        "neighbouring columns: view as [B, S, H, E], heads first.",
        edits=[(VIEW, "x = x.view(n_sentences, n_places, width // n_heads, n_heads).transpose(2, 3)")],
    ),
    Mistake(
        name="heads-in-front-of-the-batch",
        says="Your heads stand in front of the sentences: [H, B, S, E], as torch.stack makes it by default. They "
        "belong behind the batch, [B, H, S, E], or a mask [B, 1, 1, S] will not fit.",
        edits=[(TURN, "return x.permute(2, 0, 1, 3)")],
    ),
    Mistake(
        name="merged-without-transpose",
        says="You flatten [B, H, S, E] as it stands. The shape comes out right and the words are mixed up: row 0 "
        "holds the first columns of several words. Transpose heads and places back first.",
        edits=[(TURN_BACK, ""), (FLAT, "return x.reshape(x.size(0), x.size(2), -1)")],
    ),
    Mistake(
        name="view-after-transpose",
        says="`view` refuses here: after the transpose the numbers no longer lie in memory in the order you want to "
        "read them in. flatten and reshape copy where they must; or call .contiguous() before .view(...).",
        edits=[(FLAT, "return x.view(x.size(0), x.size(1), -1)")],
    ),
    Mistake(
        name="heads-merged-in-the-wrong-order",
        says="Your merged columns come one from each head in turn: 0, 4, 8, 1, 5, 9, ... The heads are to be laid "
        "side by side, all of head 0, then all of head 1: [B, S, H, E] before flattening, not [B, S, E, H].",
        edits=[(TURN_BACK, "x = x.permute(0, 2, 3, 1)")],
    ),
    Mistake(
        name="merged-heads-backwards",
        says="Your heads are laid side by side from the last to the first. Column 0 comes from head 0.",
        edits=[(TURN_BACK, "x = x.transpose(1, 2).flip(2)")],
    ),
    Mistake(
        name="reshape-with-the-example-s-sizes",
        says="merge_heads works for 2 sentences of 5 places and for nothing else: the sizes of an example stand in "
        "your reshape. Take them from x.shape.",
        edits=[(FLAT, "return x.reshape(2, 5, -1)")],
    ),
    Mistake(
        name="one-map-shared-by-all-heads",
        says="All heads share one map of width 4, so they all look for the same thing, and three heads see what one "
        "would. Each head has its own: a map from 12 to 12 holds the three side by side.",
        edits=[
            (MADE[0], "self.query = nn.Linear(d_model, d_model // n_heads)"),
            (MADE[1], "self.key = nn.Linear(d_model, d_model // n_heads)"),
            (MADE[2], "self.value = nn.Linear(d_model, d_model // n_heads)"),
            (QUERIES, "split_heads(self.query(query).repeat(1, 1, self.n_heads), self.n_heads)"),
            (KEYS, "split_heads(self.key(key).repeat(1, 1, self.n_heads), self.n_heads)"),
            (VALUES, "split_heads(self.value(value).repeat(1, 1, self.n_heads), self.n_heads)"),
        ],
    ),
    Mistake(
        name="one-map-for-query-key-and-value",
        says="Query, key and value go through one and the same map. Each of the three has its own: self.query, "
        "self.key, self.value.",
        edits=[(MADE[1], "self.key = self.query"), (MADE[2], "self.value = self.query")],
    ),
    Mistake(
        name="plain-tensors",
        says="Your maps are plain tensors: the layer computes, and no optimizer will ever find them. Use nn.Linear, "
        "or wrap each in nn.Parameter.",
        edits=[
            *[(made, made.replace("nn.Linear(", "torch.randn(")) for made in MADE],
            ("from torch import Tensor, nn", "import torch\nfrom torch import Tensor, nn"),
            (QUERIES, "split_heads(query @ self.query, self.n_heads)"),
            (KEYS, "split_heads(key @ self.key, self.n_heads)"),
            (VALUES, "split_heads(value @ self.value, self.n_heads)"),
            (ANSWER, "return merge_heads(mixture) @ self.out, weights"),
        ],
    ),
    Mistake(
        name="maps-in-a-plain-list",
        says="Your maps for query, key and value are Python lists, one nn.Linear for each head. A module does not "
        "look into lists: an optimizer finds none of them. (nn.ModuleList would be found.) One map from 12 to 12 "
        "holds all heads side by side, and is one product instead of three.",
        edits=[
            *[
                (
                    made,
                    made.replace(
                        "nn.Linear(d_model, d_model)",
                        "[nn.Linear(d_model, d_model // n_heads) for _ in range(n_heads)]",
                    ),
                )
                for made in MADE[:3]
            ],
            ("from torch import Tensor, nn", "import torch\nfrom torch import Tensor, nn"),
            (QUERIES, "torch.stack([head(query) for head in self.query], dim=1)"),
            (KEYS, "torch.stack([head(key) for head in self.key], dim=1)"),
            (VALUES, "torch.stack([head(value) for head in self.value], dim=1)"),
        ],
    ),
    Mistake(
        name="out-not-used",
        says="Your output is the merged heads as they are. The last map, `out` (the paper's W^O), is missing: it is "
        "the only place where what the heads found comes together.",
        edits=[(ANSWER, "return merge_heads(mixture), weights")],
    ),
    Mistake(
        name="attention-before-splitting",
        says="You attend first and split afterwards: that is one wide head, and its weights have no axis of heads. "
        "Split queries, keys and values, then attend.",
        edits=[
            (QUERIES, "self.query(query)"),
            (KEYS, "self.key(key)"),
            (VALUES, "self.value(value)"),
            (ANSWER, "return self.out(mixture), weights"),
        ],
    ),
    Mistake(
        name="scaled-by-the-whole-width",
        says="Your scores are divided by sqrt(d_model) = sqrt(12). A head scores with its own 4 columns: divide by "
        "sqrt(4), the width of a head.",
        edits=[(CALL, "mixture, weights = attention(queries / self.n_heads**0.5, keys, values, visible)")],
    ),
    Mistake(
        name="weights-averaged",
        says="You return the mean of the heads' weights, as torch's own module does by default. Return them all, "
        "[B, H, Q, K]: that heads look at different words is what one wants to see.",
        edits=[(ANSWER, "return self.out(merge_heads(mixture)), weights.mean(dim=1)")],
    ),
    Mistake(
        name="weights-summed",
        says="You return the sum of the heads' weights: a row of it sums to 3, not to 1. Return them all, [B, H, Q, K]: "
        "that heads look at different words is what one wants to see.",
        edits=[(ANSWER, "return self.out(merge_heads(mixture)), weights.sum(dim=1)")],
    ),
    Mistake(
        name="weights-of-the-first-head-only",
        says="You return the weights of head 0 alone. Return those of all heads, [B, H, Q, K]: that heads look at "
        "different words is what one wants to see.",
        edits=[(ANSWER, "return self.out(merge_heads(mixture)), weights[:, 0]")],
    ),
    Mistake(
        name="keys-and-values-from-the-query",
        says="You make keys and values from `query`. For self-attention it is the same; when a translation looks at "
        "its source, it would look at itself instead.",
        edits=[
            (KEYS, "split_heads(self.key(query), self.n_heads)"),
            (VALUES, "split_heads(self.value(query), self.n_heads)"),
        ],
    ),
    Mistake(
        name="values-from-the-key",
        says="You make the values from `key`. Most callers pass the same tensor for both, so it is seldom seen; "
        "this check passes two different ones.",
        edits=[(VALUES, "split_heads(self.value(key), self.n_heads)")],
    ),
    Mistake(
        name="mask-upside-down",
        says="Your mask is upside down: every word sees the future and nothing else. Here True means *may look*, "
        "and stage 05's attention wants it that way; do not negate it. (torch.nn.MultiheadAttention has it the "
        "other way round.)",
        edits=[(CALL, "mixture, weights = attention(queries, keys, values, None if visible is None else ~visible)")],
    ),
    Mistake(
        name="mask-not-handed-on",
        says="`visible` makes no difference: words see the future although they may not. Give it to attention as "
        "its fourth argument.",
        edits=[(CALL, "mixture, weights = attention(queries, keys, values)")],
    ),
]
