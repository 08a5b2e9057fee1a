"""Looks at every step of a tiny real training and at a validation. Oracle: gradient descent written out by hand.

Words are translated one by one here (source and last word in, next word out): enough to learn, and fast.
"""

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from glassformer.course.observation import Observation
from glassformer.course.universe import Subject

PAD, V = 0, 9
RATES = (0.5, 0.2, 0.4, 0.1, 0.3, 0.6, 0.7)  # of steps 1 to 7; far from smooth, so that no two can be mistaken

Batch = tuple[Tensor, Tensor, Tensor]


class Tiny(nn.Module):
    """The smallest thing with a loss: two tables, a dropout, a linear map. Notes how it was run."""

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        draw = torch.Generator().manual_seed(20)
        self.source = nn.Parameter(torch.randn(V, 4, generator=draw))
        self.target = nn.Parameter(torch.randn(V, 4, generator=draw))
        self.out = nn.Parameter(torch.randn(4, V, generator=draw))
        self.dropout = nn.Dropout(dropout)
        self.modes: list[bool] = []
        self.gradients: list[bool] = []
        self.events: list[str] = []  # "backward" whenever a gradient is found, "step" whenever it is used
        self.out.register_hook(lambda _: self.events.append("backward"))

    def forward(self, src: Tensor, tgt_in: Tensor) -> Tensor:
        """src [B, S], tgt_in [B, T] -> logits [B, T, V]."""
        self.modes.append(self.training)
        self.gradients.append(torch.is_grad_enabled())
        x = self.source[src].mean(dim=1, keepdim=True) + self.target[tgt_in]  # [B, T, 4]
        logits: Tensor = self.dropout(x) @ self.out
        return logits


class Noting(torch.optim.SGD):
    """Plain gradient descent in two groups that notes the rates it steps with."""

    def __init__(self, model: Tiny) -> None:
        groups = [{"params": [model.source, model.target]}, {"params": [model.out]}]
        super().__init__(groups, lr=0.9)
        self.rates: list[list[float]] = []
        self._events = model.events

    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """Note, then step."""
        self.rates.append([group["lr"] for group in self.param_groups])
        self._events.append("step")
        super().step(closure)


def loss_of(model: nn.Module, batch: Batch) -> Tensor:
    """Mean over real tokens."""
    src, tgt_in, tgt_out = batch
    return cross_entropy(model(src, tgt_in).flatten(0, 1), tgt_out.flatten(), ignore_index=PAD)


def rate_of_step(step: int) -> float:
    """A rate for steps 1 to 7."""
    if not 1 <= step <= len(RATES) + 1:
        raise ValueError(f"rate_of_step was asked for step {step}; steps count from 1")
    return (*RATES, 0.8)[step - 1]


def batches() -> list[Batch]:
    """Three batches, with 6, 2 and 3 real tokens."""
    rows = [
        ([[4, 5, 3], [6, 3, 0]], [[2, 7, 8], [2, 8, 4]], [[7, 8, 3], [8, 4, 3]]),
        ([[7, 3]], [[2, 5, 0, 0]], [[5, 3, 0, 0]]),
        ([[8, 4, 3]], [[2, 6, 5]], [[6, 5, 3]]),
    ]
    return [(torch.tensor(src), torch.tensor(tgt_in), torch.tensor(tgt_out)) for src, tgt_in, tgt_out in rows]


def descend(model: Tiny, data: list[Batch], n_steps: int) -> list[float]:
    """The same training without an optimizer: each weight minus rate times its own gradient."""
    losses = []
    weights = list(model.parameters())
    for step in range(n_steps):
        loss = loss_of(model, data[step % len(data)])
        slopes = torch.autograd.grad(loss, weights)
        with torch.no_grad():
            for weight, slope in zip(weights, slopes, strict=True):
                weight.sub_(RATES[step] * slope)
        losses.append(loss.item())
    return losses


def kind_of_loss(loss: object) -> str:
    """Its type; of a tensor also whether a graph hangs on it."""
    if isinstance(loss, Tensor):
        return "a tensor with its graph" if loss.requires_grad else "a tensor without a graph"
    return type(loss).__name__


def observe(my: Subject) -> Iterator[Observation]:
    """One step, two steps, seven; then the modes; then validation."""
    train = my.part("train")
    data = batches()

    def run(n_steps: int) -> tuple[list[float], Tiny, Noting]:
        model = Tiny()
        optimizer = Noting(model)
        return train(model, data, loss_of, optimizer, rate_of_step, n_steps), model, optimizer

    by_hand = Tiny()
    losses, model, optimizer = run(1)
    yield Observation("the number of losses after one step", len(losses), 1, "One loss for each step.")
    yield Observation(
        "what a loss is",
        kind_of_loss(losses[0]),
        "float",
        "A plain number: loss.item().",
    )
    wanted = descend(by_hand, data, 1)
    yield Observation("the loss of the first step", losses, wanted, "The loss of batches[0] before any weight changed.")
    yield Observation(
        "the rates of the first step, in both groups of the optimizer", optimizer.rates, [[0.5, 0.5]],
        "rate_of_step(1), set in every group before optimizer.step(). The optimizer came with 0.9.",
    )  # fmt: skip
    yield Observation(
        "how often a gradient was computed in one step",
        model.events.count("backward"),
        1,
        "loss.backward(), once a step.",
    )
    yield Observation(
        "backward and step, in the order they came", list(model.events), ["backward", "step"],
        "The optimizer uses what backward has left in the weights.",
    )  # fmt: skip
    yield Observation(
        "a table's weights after one step", model.target, by_hand.target, "Each weight minus rate times gradient."
    )
    yield Observation(
        "the last matrix after one step", model.out, by_hand.out, "Each weight minus rate times gradient."
    )

    losses, model, optimizer = run(2)
    by_hand = Tiny()
    wanted = descend(by_hand, data, 2)
    yield Observation("the losses of two steps", losses, wanted, "Step 2 takes batches[1].")
    yield Observation(
        "the weights after two steps", model.out, by_hand.out, "The second step follows the second gradient alone."
    )
    losses, model, optimizer = run(7)
    by_hand = Tiny()
    wanted = descend(by_hand, data, 7)
    yield Observation(
        "the number of losses after 7 steps over 3 batches", len(losses), 7, "After the last batch begin again."
    )
    yield Observation("the losses of 7 steps over 3 batches", losses, wanted, "Step 4 takes batches[0] again.")
    yield Observation("the rates of 7 steps", [rates[0] for rates in optimizer.rates], list(RATES))
    yield Observation("the weights after 7 steps", model.out, by_hand.out)

    model = Tiny(dropout=0.5).eval()
    train(model, data, loss_of, Noting(model), rate_of_step, 2)
    yield Observation(
        "whether a model that came in eval mode trains in training mode", list(model.modes), [True, True],
        "model.train() turns dropout on. Somebody translated with this model before, and left it in eval mode.",
    )  # fmt: skip

    yield from observe_validation(my, data)


def observe_validation(my: Subject, data: list[Batch]) -> Iterator[Observation]:
    """A validation between two steps of a training."""
    validate = my.part("validate")
    model = Tiny(dropout=0.5).train()
    before = [weight.detach().clone() for weight in model.parameters()]
    calm = Tiny()
    with torch.no_grad():
        sums = [loss_of(calm, batch).item() * n for batch, n in zip(data, (6, 2, 3), strict=True)]
    torch.manual_seed(20)
    found = validate(model, data, loss_of, PAD)
    yield Observation("what validate returns", type(found).__name__, "float", "A plain number.")
    yield Observation(
        "the mean loss of 6 + 2 + 3 real tokens, dropout off", found, sum(sums) / 11,
        "Weigh each batch's mean by its number of real tokens; model.eval() first.",
    )  # fmt: skip
    yield Observation(
        "the mode of the model while it is validated",
        list(model.modes),
        [False] * 3,
        "model.eval(), once for each batch run.",
    )
    yield Observation(
        "whether gradients are kept while validating", any(model.gradients), False,
        "torch.no_grad(): nobody goes backward from here, and the memory is needed elsewhere.",
    )  # fmt: skip
    yield Observation(
        "the mode of the model after it was validated in training", model.training, True,
        "The training goes on: it needs its dropout back.",
    )  # fmt: skip
    unchanged = all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))
    yield Observation("whether the weights are as before", unchanged, True, "A validation looks, and changes nothing.")
    model.eval()
    validate(model, data, loss_of, PAD)
    yield Observation(
        "the mode of a model that came in eval mode",
        model.training,
        False,
        "Leave it as it was: remember model.training.",
    )
