"""Looks at the three joints; then your model learns four sentences by the real optimizer and says one of them.

Oracles: the library's model with the same weights, its loss, and a model that always says the same. The end is reached
only by what is right so far: it takes half a second.
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from glassformer.course.observation import Observation
from glassformer.course.swap import adopt
from glassformer.course.universe import Subject
from glassformer.data.batch import pad_batch
from glassformer.data.demo import articles_sentences
from glassformer.nn import ModelConfig, Transformer
from glassformer.training import loss as library_loss
from glassformer.training.config import TrainingConfig
from glassformer.training.optimizer import make_optimizer, set_learning_rate

PAIRS = [(pair.english, pair.hindi) for pair in articles_sentences()]
N_STEPS, RATE = 60, 8e-3


class Words:
    """A tokenizer of whole words, with the methods of the real one: four special tokens, then English, then Hindi."""

    pad_id, unk_id, bos_id, eos_id = 0, 1, 2, 3

    def __init__(self) -> None:
        self.english = sorted({word for english, _ in PAIRS for word in english.split()})
        self.hindi = sorted({word for _, hindi in PAIRS for word in hindi.split()})
        self.vocab_size = 4 + len(self.english) + len(self.hindi)

    def encode_source(self, text: str) -> list[int]:
        """Ids of English words, then the end."""
        known = {word: 4 + place for place, word in enumerate(self.english)}
        return [known.get(word, self.unk_id) for word in text.split()] + [self.eos_id]

    def encode_target(self, text: str) -> list[int]:
        """Ids of Hindi words, then the end."""
        known = {word: 4 + len(self.english) + place for place, word in enumerate(self.hindi)}
        return [known.get(word, self.unk_id) for word in text.split()] + [self.eos_id]

    def decode_source(self, ids: list[int]) -> str:
        """The words of English ids."""
        return self._text(ids, range(4, 4 + len(self.english)))

    def decode_target(self, ids: list[int]) -> str:
        """The words of Hindi ids."""
        return self._text(ids, range(4 + len(self.english), self.vocab_size))

    def _text(self, ids: list[int], mine: range) -> str:
        special = ["<pad>", "<unk>", "<s>", "</s>"]
        words = [*special, *self.english, *self.hindi]
        return " ".join(words[token] if token in mine or token in (0, 2, 3) else "<unk>" for token in ids)


class Parrot(nn.Module):
    """Has stage 15's methods, says the same whatever it reads, and remembers what it was given."""

    def __init__(self, says: list[int], n_tokens: int) -> None:
        super().__init__()
        self.says, self.n_tokens = says, n_tokens
        self.read: list[list[int]] = []
        self.begun_with: list[int] = []

    def encode(self, src: Tensor) -> Tensor:
        """src [B, S] -> [B, S, 1]."""
        self.read = src.tolist()
        return src[..., None].float()

    def decode(self, tgt_in: Tensor, memory: Tensor, src: Tensor) -> Tensor:
        """tgt_in [B, T] -> [B, T, 1]: at each place, how far it has come."""
        self.begun_with = tgt_in[0, :1].tolist()
        return torch.arange(tgt_in.size(1)).expand(tgt_in.size(0), -1)[..., None].float()

    def project(self, hidden: Tensor) -> Tensor:
        """[..., 1] -> [..., V]."""
        table = torch.zeros(len(self.says) + 50, self.n_tokens)
        for place in range(len(table)):
            table[place, self.says[min(place, len(self.says) - 1)]] = 30.0
        return table[hidden[..., 0].long()]

    def forward(self, src: Tensor, tgt_in: Tensor) -> Tensor:
        """Everything in one."""
        return self.project(self.decode(tgt_in, self.encode(src), src))


def observe(my: Subject) -> Iterator[Observation]:
    """The joints, and if they hold, the whole."""
    for part in (look_at_build, look_at_loss, look_at_translate, look_at_the_whole):
        wrong = False
        for observation in part(my):
            yield observation
            wrong = wrong or not observation.right
        if wrong:
            return


def config_of(**changes: Any) -> ModelConfig:
    """A small model with every size different."""
    sizes: dict[str, Any] = {"d_model": 24, "n_heads": 3, "d_ff": 40, "n_encoder_layers": 1, "n_decoder_layers": 2}
    return ModelConfig(vocab_size=Words().vocab_size, **(sizes | {"dropout": 0.0, "max_length": 48} | changes))


def look_at_build(my: Subject) -> Iterator[Observation]:
    """Is it the model that the config asks for?"""
    config = config_of(norm_placement="pre", dropout=0.5)
    torch.manual_seed(25)
    model = my.part("build")(config)
    yield Observation(
        "whether build returns a model", isinstance(model, nn.Module), True, "It returns your Transformer."
    )
    found = {f"{name} layers": len(my.inside(my.inside(model, name), "layers")) for name in ("encoder", "decoder")}
    yield Observation(
        "the layers of a model with 1 and 2", found, {"encoder layers": 1, "decoder layers": 2}, "Mind the order."
    )
    src, tgt_in = torch.tensor([[5, 6, 3]]), torch.tensor([[2, 7, 8, 9]])
    model.train()
    yield Observation(
        "the shape of its logits", list(model(src, tgt_in).shape), [1, 4, config.vocab_size],
        "A number for each of the vocabulary's tokens, at each place.",
    )  # fmt: skip
    forgets = not torch.equal(model(src, tgt_in), model(src, tgt_in))
    yield Observation("whether dropout of 0.5 does anything while training", forgets, True, "config.dropout")
    norms = sum(parameter.dim() == 1 for parameter in my.inside(model, "encoder").parameters())
    post = my.part("build")(config_of(norm_placement="post"))
    more = norms - sum(parameter.dim() == 1 for parameter in my.inside(post, "encoder").parameters())
    yield Observation(
        "how many more vectors an encoder has with pre than with post", more, 2,
        "A final norm, which has a weight and a bias: config.norm_placement.",
    )  # fmt: skip
    other = my.part("build")(config_of(pad_id=1)).eval()
    short, long = torch.tensor([[5, 6, 3]]), torch.tensor([[5, 6, 3, 1, 1]])
    moved = (other(long, tgt_in) - other(short, tgt_in)).abs().max().item()
    yield Observation(
        "whether two pads change nothing, where the pad has id 1", moved < 1e-4, True, "config.pad_id names the pad."
    )
    yield Observation(
        "whether a model with max_length 300 takes a sentence of 280 tokens", takes(my, max_length=300, n_tokens=280), True,
        "config.max_length says how many rows the table of positions has.",
    )  # fmt: skip


def takes(my: Subject, max_length: int, n_tokens: int) -> bool:
    """Whether a model built for this length can read so many tokens; how a learner's Positions refuses is open."""
    model = my.part("build")(config_of(max_length=max_length)).eval()
    try:
        with torch.no_grad():
            model.encode(torch.full((1, n_tokens), 5))
    except (RuntimeError, IndexError, ValueError, AssertionError):
        return False
    return True


def make_both(my: Subject) -> tuple[Any, Transformer, Transformer]:
    """The learner's model as the learner has it, the same behind the library's signature, and the library's own."""
    config = config_of()
    torch.manual_seed(2525)
    theirs = Transformer(config)
    with torch.no_grad():  # a learner may have written a map as a matrix alone
        for name, weight in theirs.named_parameters():
            weight.mul_(0.0 if name.endswith(".bias") else 1.0)
    mine = my.part("build")(config)
    adopted = adopt(mine, config, my)
    adopted.load_state_dict(theirs.state_dict())
    return mine, adopted, theirs


def look_at_loss(my: Subject) -> Iterator[Observation]:
    """The library's loss on the library's batch."""
    mine, _, theirs = make_both(my)
    words = Words()
    batch = pad_batch(
        [words.encode_source(english) for english, _ in PAIRS], [words.encode_target(hindi) for _, hindi in PAIRS], 0, 2
    )
    n_tokens = int((batch.tgt_out != 0).sum())
    for smoothing in (0.0, 0.1, 0.3):
        wanted = library_loss.smoothed_loss(
            theirs(batch.src, batch.tgt_in), batch.tgt_out, pad_id=0, smoothing=smoothing
        )
        answer = my.part("loss_of")(mine, words, PAIRS, smoothing)
        yield Observation(
            f"the loss of four sentences, smoothing {smoothing}", answer, (wanted.objective / n_tokens).detach(),
            "tokenizer, make_batch, model, smoothed_loss: a mean over real tokens.",
        )  # fmt: skip
    yield Observation("whether the loss can be trained on", answer.requires_grad, True, "No no_grad, no .item().")


def look_at_translate(my: Subject) -> Iterator[Observation]:
    """What reaches the model, and what becomes of what it says."""
    words = Words()
    english, _ = PAIRS[0]
    parrot = Parrot(words.encode_target(PAIRS[-1][1]), words.vocab_size)
    answer = my.part("translate")(parrot, words, english)
    yield Observation(
        f"what the model reads of {english!r}", parrot.read, [words.encode_source(english)],
        "One row of ids, the end token included: so it was in training.",
    )  # fmt: skip
    yield Observation("what the translation begins with", parrot.begun_with, [words.bos_id], "The start token.")
    yield Observation(
        "what becomes of ten words that the model says", answer, PAIRS[-1][1], "decode_target makes a text of them."
    )


def look_at_the_whole(my: Subject) -> Iterator[Observation]:
    """Your model, your loss, the real optimizer, four sentences."""
    mine, adopted, _ = make_both(my)
    words = Words()
    optimizer = make_optimizer(adopted, TrainingConfig())
    set_learning_rate(optimizer, RATE)
    losses = []
    mine.train()
    for _ in range(N_STEPS):
        loss = my.part("loss_of")(mine, words, PAIRS, 0.0)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    yield Observation(
        f"whether the loss falls in {N_STEPS} steps (from {losses[0]:.2f} to {losses[-1]:.2f})",
        losses[-1] < losses[0] / 10, True, "Does every weight get a gradient?",
    )  # fmt: skip
    english, hindi = PAIRS[0]
    yield Observation(f"your model's translation of {english!r}", my.part("translate")(mine, words, english), hindi)
