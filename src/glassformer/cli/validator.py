"""Judge a model in training by its translations: BLEU, chrF++, and a few of them to look at.

The trainer is handed this, so that training need not know how to translate.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from glassformer.metrics import Score
    from glassformer.nn import Transformer
    from glassformer.text.tokenizer import Tokenizer
    from glassformer.training.feed import Sentences
    from glassformer.training.validation import Judgement
    from glassformer.translation import SearchConfig


class TextPair(NamedTuple):
    """A sentence and its translation."""

    source: str
    reference: str


class TranslationValidator:
    """Translates sentences with the model as it is, greedily, and scores that. Draws no random numbers."""

    def __init__(
        self, tokenizer: "Tokenizer", pairs: Sequence[TextPair], *, samples: Sequence[TextPair] | None = None
    ) -> None:
        """`samples` are shown and not scored; without them three of the pairs are shown."""
        self.tokenizer = tokenizer
        self.pairs = list(pairs)
        self.samples = self.pairs[:: max(1, len(self.pairs) // 3)][:3] if samples is None else list(samples)

    def __call__(self, model: "Transformer", step: int) -> "Judgement":
        """Score the model, greedily: it is the difference between two validations that matters."""
        from glassformer.training.validation import Judgement, Sample
        from glassformer.translation import SearchConfig

        greedy = SearchConfig(beam_width=1)
        scores = self.scores(model, greedy)
        translations = self._translate(model, self.samples, greedy)
        shown = [
            Sample(pair.source, text, pair.reference) for pair, text in zip(self.samples, translations, strict=True)
        ]
        # Where BLEU stands twice, the first is the one to quote: the last to be put in is the one that stays.
        figures = {short_name(score.name): score.value for score in [*scores, *reversed(scores)]}
        return Judgement(scores=figures, samples=shown)

    def scores(self, model: "Transformer", search: "SearchConfig", *, n_resamples: int = 0) -> "list[Score]":
        """BLEU and chrF++ of the model's translations, found with this search; with resamples, how sure they are."""
        from glassformer.metrics import score

        translations = self._translate(model, self.pairs, search)
        references = [pair.reference for pair in self.pairs]
        return score(translations, references, self.tokenizer.config.tgt_lang, n_resamples=n_resamples)

    def _translate(self, model: "Transformer", pairs: Sequence[TextPair], search: "SearchConfig") -> list[str]:
        from glassformer.translation import Translator

        translator = Translator(model, self.tokenizer)
        return [found.text for found in translator.translate_all([pair.source for pair in pairs], search)]


def short_name(name: str) -> str:
    """The name of a score in metrics.jsonl: "BLEU (13a)" is bleu, "chrF++" is chrf."""
    return "chrf" if name.startswith("chrF") else "bleu"


def read_texts(data: "Sentences", tokenizer: "Tokenizer", n_most: int) -> list[TextPair]:
    """Texts of at most so many pairs, spread evenly over the data, out of their ids."""
    rows = range(0, len(data), max(1, -(-len(data) // n_most)))
    return [
        TextPair(tokenizer.decode_source(data.src(row).tolist()), tokenizer.decode_target(data.tgt(row).tolist()))
        for row in rows
    ]
