"""The whole line: text in, tokens, ids, hypotheses, text out.

Prints nothing and reads no text files: see cli/translate.py.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Self, get_args

from glassformer.nn import Edits, Transformer
from glassformer.run import Run, read_json
from glassformer.text.tokenizer import Tokenizer

from .config import SearchConfig
from .engine import Engine, TorchEngine
from .explaining import TranslationError, changes_something, check_edits, check_heads, tree_of, written
from .inside import NOTHING, Head, head_effects, look_inside
from .loading import load_model, read_search_config
from .pieces import cut
from .search import Hypothesis
from .translation import Candidate, ModelFacts, Translation, word_numbers

Attention = Literal["none", "all"]
Finding = Literal["attention", "search", "similarity", "head_effects"]
EVERYTHING: tuple[Finding, ...] = get_args(Finding)
BATCH_TOKENS = 2048


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
        scores: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self.search = SearchConfig() if search is None else search
        self.engine = TorchEngine(model) if engine is None else engine
        self.scores = scores  # what the run's own evaluation found, if it had one
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
        scores = read_json(run.run_json).get("scores") if run.run_json.exists() else None
        return cls(
            model,
            tokenizer,
            name=run.folder.resolve().name,
            search=read_search_config(run),
            scores=scores if isinstance(scores, list) else (),
        )

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

    def explain(
        self,
        text: str,
        search: SearchConfig | None = None,
        *,
        edits: Edits | None = None,
        include: Collection[Finding] = ("attention", "search"),
        heads: Sequence[Head] = (),
    ) -> Translation:
        """Translate one text, made to ignore what the edits name, and tell what is asked for of how it came about.

        heads: those whose queries, keys and values are wanted. Always by the plain engine. A text longer than the model
        can read has no findings, and none of its places can be hidden.
        """
        search = self.search if search is None else search
        pieces = self._pieces_of(text)
        edits = edits if edits is not None and changes_something(edits) else None
        check_edits(edits, self.model.config, [len(ids) for ids in pieces])
        check_heads(heads, edits, self.model.config)
        engine = TorchEngine(self.model)
        found = [engine.search_recorded(ids, search, edits) for ids in pieces]
        translation = self._put_together(text, pieces, [hypotheses for hypotheses, _ in found], "none")
        translation = replace(translation, edits=None if edits is None else written(edits))
        if len(pieces) != 1:
            return translation
        (ids,), ((hypotheses, recorder),) = pieces, found
        target = hypotheses[0].ids
        inside = look_inside(self.model, ids, target, edits=edits, similarity="similarity" in include, heads=heads)
        shown = "attention" in include
        return replace(
            translation,
            attention=inside.attention if shown else {},
            target_probabilities=inside.probabilities if shown else (),
            search=tree_of(recorder, self.tokenizer) if recorder is not None and "search" in include else None,
            similarity=inside.similarity,
            head_effects=head_effects(self.model, ids, target, edits) if "head_effects" in include else (),
            arithmetic=inside.arithmetic,
        )

    def _pieces_of(self, text: str) -> list[list[int]]:
        """The ids of a text, with an end: in one list, in more if it is too long to read, in none if it is empty."""
        *ids, end = self.tokenizer.encode_source(text)
        if not ids:
            return []
        lead = self.tokenizer.lead_of(ids)
        ids = ids[len(lead) :]
        room = self.model.config.max_length - 1 - len(lead)
        if room < 1:
            raise TranslationError(
                f"the model's max_length is {self.model.config.max_length}: it cannot read one token with its end"
            )
        places = cut(self.tokenizer.source_pieces(ids), room)
        return [[*lead, *ids[piece.start : piece.stop], end] for piece in places]

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
        inside = NOTHING
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
