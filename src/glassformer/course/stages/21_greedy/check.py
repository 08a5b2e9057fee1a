"""Looks at greedy translation. Oracles: a model that follows a script, and a real one asked for one sentence at a time."""

from collections.abc import Iterator
from functools import cache

import torch
from torch import Tensor, nn

from glassformer.course.observation import Observation
from glassformer.course.universe import Subject
from glassformer.nn import ModelConfig, Transformer

BOS, EOS, DRUNK, LOST, VOCABULARY = 2, 3, 9, 8, 20
# By the first token of the source: what the model wants to say, place by place, whatever it is asked after the end.
SCRIPTS = {
    4: [11, 12, EOS, 13, 13, EOS, 13, 13],
    5: [14, 15, 16, 17, EOS, 18, 18, 18],
    6: [EOS, 19, 19, 19, EOS, 19, 19, 19],
}
LONGEST = 5  # tokens of the longest script, its end included


class Actor(nn.Module):
    """Says its script as long as it is given its own words so far; counts what it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))
        self.rows_encoded = self.rows_decoded = 0
        self.had_gradients = False

    def encode(self, src: Tensor) -> Tensor:
        """The first token stands for the sentence: [B, S] -> [B, S, 1]."""
        self.rows_encoded += src.size(0)
        return src[:, :1, None].expand(-1, src.size(1), 1) * self.scale

    def decode(self, tgt_in: Tensor, memory: Tensor, src: Tensor) -> Tensor:
        """[B, T] -> [B, T, V]: large where the next token is."""
        self.rows_decoded += tgt_in.size(0)
        self.had_gradients |= torch.is_grad_enabled()
        scripts = [SCRIPTS[int(row[0, 0])] for row in memory]
        rows = [
            [self.next_token(ids[: place + 1], script) for place in range(len(ids))]
            for ids, script in zip(tgt_in.tolist(), scripts, strict=True)
        ]
        return 5.0 * nn.functional.one_hot(torch.tensor(rows), VOCABULARY).float() * self.scale

    def next_token(self, ids: list[int], script: list[int]) -> int:
        """Dropout makes it drunk; words that are not its own make it lost; after an end anything may come."""
        if self.training:
            return DRUNK
        spoken = ids[1:]
        if spoken != script[: len(spoken)] and EOS not in spoken:
            return LOST
        if ids[0] != BOS or len(spoken) >= len(script):
            return LOST
        return script[len(spoken)]

    def project(self, hidden: Tensor) -> Tensor:
        """Nothing left to do."""
        return hidden

    def forward(self, src: Tensor, tgt_in: Tensor) -> Tensor:
        """As stage 15 has it."""
        return self.project(self.decode(tgt_in, self.encode(src), src))


def observe(my: Subject) -> Iterator[Observation]:
    """One sentence, then three that end at different times, then what it costs and what it leaves behind."""
    greedy = my.part("greedy")
    alone = torch.tensor([[4, 7]])
    answer = greedy(Actor(), alone, BOS, EOS, 7)
    yield Observation(
        "what greedy returns for one sentence", kind_of(answer), "list of list of int",
        "Plain Python: tensor.tolist() makes lists of numbers.",
    )  # fmt: skip
    yield Observation(
        "a sentence whose translation is 11 12", answer, [[11, 12]],
        "The token with the largest logit at the last place, again and again; without the start and the end token.",
    )  # fmt: skip

    actor = Actor()
    greedy(actor, alone, BOS, EOS, 7)
    yield Observation(
        "the work stops when the sentence has ended", actor.rows_decoded <= 3, True,
        f"Two words and the end: three steps. You decoded {actor.rows_decoded} times.",
    )  # fmt: skip

    batch = torch.tensor([[4, 7, 7], [5, 7, 0], [6, 0, 0]])
    actor = Actor()
    yield Observation(
        "a batch of three that end after 2, 4 and 0 words", greedy(actor, batch, BOS, EOS, 7),
        [[11, 12], [14, 15, 16, 17], []], "Each sentence is over at its own first end token.",
    )  # fmt: skip
    yield Observation(
        "how many sentences were encoded for that batch", actor.rows_encoded, 3,
        "The source does not change while you translate: encode it once, before the loop.",
    )  # fmt: skip
    yield Observation(
        "the work stops when all sentences of the batch have ended", actor.rows_decoded <= 3 * LONGEST, True,
        f"The longest needs {LONGEST} tokens with its end, so at most {3 * LONGEST} rows to decode; "
        f"you decoded {actor.rows_decoded}.",
    )  # fmt: skip
    yield Observation(
        "the same batch with max_length 3", greedy(Actor(), batch, BOS, EOS, 3), [[11, 12], [14, 15, 16], []],
        "max_length counts the tokens that come after the start token.",
    )  # fmt: skip

    yield Observation(
        "whether gradients were recorded", actor.had_gradients, False,
        "Nobody will call backward here: torch.no_grad() spares the memory.",
    )  # fmt: skip
    rehearsing, performing = Actor().train(), Actor().eval()
    for one in (rehearsing, performing):
        greedy(one, alone, BOS, EOS, 7)
    yield Observation(
        "the modes afterwards of a model in training and of one in eval",
        ["training" if one.training else "eval" for one in (rehearsing, performing)], ["training", "eval"],
        "Remember model.training before, and hand it to model.train(...) at the end.",
    )  # fmt: skip

    model, src, wanted = real_case()
    torch.manual_seed(21)
    yield Observation(
        "a real Transformer with random weights", greedy(model.train(), src, BOS, EOS, 6), wanted,
        "The same as translating each sentence alone.",
    )  # fmt: skip


def kind_of(answer: object) -> str:
    """ "list of list of int", as deep as it goes."""
    names = [type(answer).__name__]
    while isinstance(answer, (list, tuple)) and answer:
        answer = answer[0]
        names.append(type(answer).__name__)
    return " of ".join(names)


@cache
def real_case() -> tuple[Transformer, Tensor, list[list[int]]]:
    """A small one, three sentences padded with 0, and their translations."""
    torch.manual_seed(107)  # of many, one whose three translations end at different times
    config = ModelConfig(
        vocab_size=11, d_model=12, n_heads=3, d_ff=20, n_encoder_layers=1, n_decoder_layers=2, dropout=0.4, pad_id=0,
        bos_id=BOS, eos_id=EOS, max_length=16,
    )  # fmt: skip
    model, src = Transformer(config), torch.tensor([[5, 9, 4, 3], [7, 3, 0, 0], [4, 6, 10, 3]])
    return model, src, one_by_one(model, src, 6)


def one_by_one(model: Transformer, src: Tensor, max_length: int) -> list[list[int]]:
    """No batch, no padding, the whole model for every token: slow, and beyond doubt."""
    model.eval()
    translations = []
    with torch.no_grad():
        for row in src:
            ids = [BOS]
            while len(ids) <= max_length and ids[-1] != EOS:
                ids.append(int(model(row[row != 0][None], torch.tensor([ids]))[0, -1].argmax()))
            translations.append([token for token in ids[1:] if token != EOS])
    return translations
