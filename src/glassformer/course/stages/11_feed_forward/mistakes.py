"""What people get wrong about the feed-forward."""

from glassformer.course.mistakes import Mistake

WIDEN, NARROW = "self.widen = nn.Linear(d_model, d_ff)", "self.narrow = nn.Linear(d_ff, d_model)"
BEND = "torch.relu(self.widen(x))"
ANSWER = "return self.narrow(self.dropout(hidden))"

MISTAKES = [
    Mistake(
        name="no-activation",
        says="There is nothing between your two linear maps. Two of them in a row are one: x W_1 W_2 is x times a "
        "single matrix, and the 4 times wider middle is wasted. Put a ReLU between them.",
        edits=[(BEND, "self.widen(x)")],
    ),
    Mistake(
        name="activation-at-the-end",
        says="Your ReLU stands after the second map instead of between the two. Nothing negative can leave now, and "
        "the two maps in a row are still one.",
        edits=[(BEND, "self.widen(x)"), (ANSWER, "return torch.relu(self.narrow(self.dropout(hidden)))")],
    ),
    Mistake(
        name="activation-twice",
        says="You apply the ReLU after both maps. It stands between them only: the result must be able to be "
        "negative, or nothing could ever be taken away from a word.",
        edits=[(ANSWER, "return torch.relu(self.narrow(self.dropout(hidden)))")],
    ),
    Mistake(
        name="gelu-for-relu",
        says="Your activation is a GELU. Many later models use it; the paper has the ReLU, max(0, h), and the "
        "trained weights of this course expect that.",
        edits=[(BEND, "nn.functional.gelu(self.widen(x))")],
    ),
    Mistake(
        name="sigmoid-for-relu",
        says="Your activation is a sigmoid, which squeezes everything between 0 and 1. Equation 2 has max(0, h): "
        "the ReLU.",
        edits=[(BEND, "torch.sigmoid(self.widen(x))")],
    ),
    Mistake(
        name="no-bias",
        says="Your maps have no biases: equation 2 has b_1 and b_2, 13 numbers more in this example. Without b_1 "
        "every bend sits at 0. Leave nn.Linear's bias on.",
        edits=[
            (WIDEN, "self.widen = nn.Linear(d_model, d_ff, bias=False)"),
            (NARROW, "self.narrow = nn.Linear(d_ff, d_model, bias=False)"),
        ],
    ),
    Mistake(
        name="never-widened",
        says="Your hidden layer is as wide as the words: d_ff is not used. `widen` goes from d_model to d_ff, "
        "`narrow` from d_ff back to d_model.",
        edits=[
            (WIDEN, "self.widen = nn.Linear(d_model, d_model)"),
            (NARROW, "self.narrow = nn.Linear(d_model, d_model)"),
        ],
    ),
    Mistake(
        name="maps-are-plain-tensors",
        says="An optimizer finds nothing to learn in your module: the weights are plain tensors. Use nn.Linear, or "
        "wrap them in nn.Parameter.",
        edits=[
            (WIDEN, "self.widen = torch.randn(d_model, d_ff)"),
            (NARROW, "self.narrow = torch.randn(d_ff, d_model)"),
            (BEND, "torch.relu(x @ self.widen)"),
            (ANSWER, "return self.dropout(hidden) @ self.narrow"),
        ],
    ),
    Mistake(
        name="residual-already-added",
        says="You return x + FFN(x). The sum is right in the end, but stage 12 makes it, around every sub-layer "
        "alike: here it would be added twice.",
        edits=[(ANSWER, "return x + self.narrow(self.dropout(hidden))")],
    ),
    Mistake(
        name="bent-before-widening",
        says="You apply the ReLU to x, before the first map. It belongs after it: max(0, x W_1 + b_1).",
        edits=[(BEND, "self.widen(torch.relu(x))")],
    ),
    Mistake(
        name="dropout-ignored",
        says="The argument `dropout` does nothing: with 0.5 in training, half of the hidden numbers should become "
        "0. Put nn.Dropout(dropout) between the ReLU and `narrow`.",
        edits=[(ANSWER, "return self.narrow(hidden)")],
    ),
    Mistake(
        name="dropout-on-the-result",
        says="Your dropout falls on the result, after `narrow`. That one comes in stage 12, in the residual; here "
        "it falls on the hidden numbers.",
        edits=[(ANSWER, "return self.dropout(self.narrow(hidden))")],
    ),
    Mistake(
        name="dropout-on-the-input",
        says="Your dropout falls on x. It belongs between the ReLU and `narrow`: hidden numbers are dropped, and "
        "the word itself stays whole.",
        edits=[(BEND, "torch.relu(self.widen(self.dropout(x)))"), (ANSWER, "return self.narrow(hidden)")],
    ),
    Mistake(
        name="dropout-never-stops",
        says="Your dropout drops even after eval(): the same sentence would be translated differently each time. "
        "Use nn.Dropout, or give the function training=self.training.",
        edits=[(ANSWER, "return self.narrow(nn.functional.dropout(hidden, self.dropout.p))")],
    ),
]
