"""The whole line: text in, tokens, ids, hypotheses, text out.

Prints nothing and reads no text files: see cli/translate.py.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, Self

from glassformer.errors import GlassformerError
from glassformer.nn import Transformer
from glassformer.run import Run
from glassformer.text.tokenizer import Tokenizer

from .config import SearchConfig
from .engine import Engine, TorchEngine
from .inside import Inside, look_inside
from .loading import load_model, read_search_config
from .pieces import cut
from .search import Hypothesis
from .translation import Candidate, ModelFacts, Translation, word_numbers

Attention = Literal["none", "all"]
BATCH_TOKENS = 2048


class TranslationError(GlassformerError):
    """This cannot be translated, or not with this model."""


class Translator:
    """A model with its tokenizer, and how to search when nobody says how."""

    def __init__(
        self,
        model: Transformer,
        tokenizer: Tokenizer,
        *,
        name: str = "model",
        search: SearchConfig | None = None,
        engine: Engine | None = None,
    ) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self.search = SearchConfig() if search is None else search
        self.engine = TorchEngine(model) if engine is None else engine
        config = model.config
        self.facts = ModelFacts(
            name=name,
            src_lang=tokenizer.config.src_lang,
            tgt_lang=tokenizer.config.tgt_lang,
            parameters=sum(weights.numel() for weights in model.parameters()),
            encoder_layers=config.n_encoder_layers,
            decoder_layers=config.n_decoder_layers,
            heads=config.n_heads,
            d_model=config.d_model,
        )

    @classmethod
    def load(cls, folder: Path | str, *, device: str = "auto") -> Self:
        """The translator in a run folder."""
        run = Run.open(Path(folder))
        model = load_model(run, device)
        tokenizer = Tokenizer.load(run.tokenizer_folder)
        for side, wanted, found in (
            ("source", model.config.vocab_size, tokenizer.vocab_size),
            ("target", model.config.n_target_tokens, tokenizer.tgt_vocab_size or tokenizer.vocab_size),
        ):
            if wanted != found:
                raise TranslationError(
                    f"the tokenizer in {run.tokenizer_folder} has {found} {side} tokens and the model knows {wanted}: "
                    "they are not of one run"
                )
        return cls(model, tokenizer, name=run.folder.resolve().name, search=read_search_config(run))

    def translate(self, text: str, search: SearchConfig | None = None, *, attention: Attention = "none") -> Translation:
        """Translate one text."""
        return self.translate_all([text], search, attention=attention)[0]

    def translate_all(
        self,
        texts: Sequence[str],
        search: SearchConfig | None = None,
        *,
        attention: Attention = "none",
        batch_tokens: int = BATCH_TOKENS,
        progress: Callable[[float], object] | None = None,
    ) -> list[Translation]:
        """Translate texts, in their order. `progress` is told after every batch which part of them is done, 0 to 1.

        A text longer than the model can read is translated sentence by sentence and put together again; it has no
        attention. An empty text has an empty translation.
        """
        search = self.search if search is None else search
        pieces = [self._pieces_of(text) for text in texts]
        queue = [ids for ids_of_text in pieces for ids in ids_of_text]
        found: list[list[Hypothesis]] = [[]] * len(queue)
        n_done = 0
        for batch in batches([len(ids) for ids in queue], batch_tokens):
            for i, hypotheses in zip(batch, self.engine.search([queue[i] for i in batch], search), strict=True):
                found[i] = hypotheses
            n_done += len(batch)
            if progress is not None:
                progress(n_done / len(queue))
        in_order = iter(found)
        return [
            self._put_together(text, ids_of_text, [next(in_order) for _ in ids_of_text], attention)
            for text, ids_of_text in zip(texts, pieces, strict=True)
        ]

    def _pieces_of(self, text: str) -> list[list[int]]:
        """The ids of a text, with an end: in one list, in more if it is too long to read, in none if it is empty."""
        *ids, end = self.tokenizer.encode_source(text)
        if not ids:
            return []
        places = cut(self.tokenizer.source_pieces(ids), self.model.config.max_length - 1)
        return [[*ids[piece.start : piece.stop], end] for piece in places]

    def _put_together(
        self, text: str, pieces: list[list[int]], found: list[list[Hypothesis]], attention: Attention
    ) -> Translation:
        """One Translation from what was found for each piece of a text."""
        n_best = max((len(hypotheses) for hypotheses in found), default=0)
        # A piece may have fewer hypotheses than another: its last one then stands in.
        joined = [[hypotheses[min(k, len(hypotheses) - 1)] for hypotheses in found] for k in range(n_best)]
        candidates = tuple(self._candidate(parts) for parts in joined)
        best = candidates[0] if candidates else Candidate(text="", score=0.0, logprob=0.0, tokens=())
        source_tokens = tuple(self.tokenizer.source_pieces([id for ids in pieces for id in ids]))
        inside = Inside({}, ())
        if attention == "all" and len(pieces) == 1:
            inside = look_inside(self.model, pieces[0], found[0][0].ids)
        end = self.tokenizer.target_pieces([self.model.config.eos_id])[0]
        return Translation(
            source=text,
            text=best.text,
            score=best.score,
            logprob=best.logprob,
            source_tokens=source_tokens,
            target_tokens=best.tokens,
            source_words=word_numbers(source_tokens, end),
            target_words=word_numbers(best.tokens, end),
            unseen_words=tuple(self.tokenizer.unseen_words(text)),
            hypotheses=candidates,
            model=self.facts,
            pieces=max(len(pieces), 1),
            target_probabilities=inside.probabilities,
            attention=inside.attention,
        )

    def _candidate(self, parts: list[Hypothesis]) -> Candidate:
        """The hypotheses of a text's pieces, one of each, as one: texts side by side, scores added up."""
        texts = (self.tokenizer.decode_target(part.ids).strip() for part in parts)
        return Candidate(
            text=" ".join(text for text in texts if text),
            score=sum(part.score for part in parts),
            logprob=sum(part.logprob for part in parts),
            tokens=tuple(token for part in parts for token in self.tokenizer.target_pieces(part.ids)),
        )


def batches(lengths: Sequence[int], batch_tokens: int) -> Iterator[list[int]]:
    """The places of sentences to be read together: alike in length, so that little is padded, the longest first.

    A batch has at most `batch_tokens` source tokens, pads included, or one sentence.
    """
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lambda place: -lengths[place]):
        if batch and lengths[batch[0]] * (len(batch) + 1) > batch_tokens:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch
