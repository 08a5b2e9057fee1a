"""What people get wrong when attention becomes a layer."""

from glassformer.course.mistakes import Mistake

QUERY = "self.query = nn.Linear(d_model, d_head, bias=False)"
KEY = "self.key = nn.Linear(d_model, d_head, bias=False)"
VALUE = "self.value = nn.Linear(d_model, d_head, bias=False)"
CALL = "mixture, _ = attention(self.query(x), self.key(x), self.value(x), visible)"
ANSWER = "return mixture  # [B, S, d_head]"

MISTAKES = [
    Mistake(
        name="plain-tensors",
        says="Your maps are plain tensors. The layer computes, but layer.parameters() is empty: no optimizer will "
        "ever find them, and nothing is learned. Use nn.Linear, or wrap each tensor in nn.Parameter.",
        edits=[
            (QUERY, "self.query = torch.randn(d_model, d_head)"),
            (KEY, "self.key = torch.randn(d_model, d_head)"),
            (VALUE, "self.value = torch.randn(d_model, d_head)"),
            ("from torch import Tensor, nn", "import torch\nfrom torch import Tensor, nn"),
            (CALL, "mixture, _ = attention(x @ self.query, x @ self.key, x @ self.value, visible)"),
        ],
    ),
    Mistake(
        name="maps-made-in-forward",
        says="Your layer makes its maps anew at every call, so the same sentence gives another answer each time and "
        "whatever was learned is thrown away. Make them in __init__ and keep them on self.",
        edits=[
            (
                CALL,
                "query, key, value = (nn.Linear(x.size(-1), self.key.out_features, bias=False) for _ in range(3))\n        mixture, _ = attention(query(x), key(x), value(x), visible)",
            )
        ],
    ),
    Mistake(
        name="super-init-forgotten",
        says="__init__ does not call super().__init__(). That call sets up the place where a module keeps its "
        "parameters; without it torch refuses the first one. Make it the first line.",
        edits=[("        super().__init__()\n", "")],
    ),
    Mistake(
        name="one-map-for-all-three",
        says="Query, key and value go through one and the same map. A word would then look for exactly what it "
        "offers, and mostly find itself. Each of the three has a map of its own.",
        edits=[(KEY, "self.key = self.query"), (VALUE, "self.value = self.query")],
    ),
    Mistake(
        name="key-is-the-query-map",
        says="Keys are made by the query's map. Then two words match each other equally well in both directions; "
        "looking for one thing and offering another takes two matrices.",
        edits=[(CALL, "mixture, _ = attention(self.query(x), self.query(x), self.value(x), visible)")],
    ),
    Mistake(
        name="query-and-key-swapped",
        says="Query and key are swapped: the scores come out transposed, and every word listens to those who look "
        "for it instead of those it looks for. attention(query, key, value), in this order.",
        edits=[(CALL, "mixture, _ = attention(self.key(x), self.query(x), self.value(x), visible)")],
    ),
    Mistake(
        name="key-and-value-swapped",
        says="Key and value are swapped: you match against the values and hand over the keys. attention(query, key, "
        "value), in this order.",
        edits=[(CALL, "mixture, _ = attention(self.query(x), self.value(x), self.key(x), visible)")],
    ),
    Mistake(
        name="value-not-mapped",
        says="Your result has width 6 and should have 3. Either the values are the words themselves (the third map, "
        "self.value, makes them), or that map leads to d_model instead of d_head.",
        edits=[(CALL, "mixture, _ = attention(self.query(x), self.key(x), x, visible)")],
    ),
    Mistake(
        name="mask-not-handed-on",
        says="`visible` makes no difference to your layer: words see the future although they may not. Give it to "
        "attention as its fourth argument.",
        edits=[(CALL, "mixture, _ = attention(self.query(x), self.key(x), self.value(x))")],
    ),
    Mistake(
        name="returns-the-pair",
        says="You return both things that attention gives. This layer returns the mixture alone, so that layers can "
        "be put one after the other.",
        edits=[(CALL, "mixture = attention(self.query(x), self.key(x), self.value(x), visible)")],
    ),
]
