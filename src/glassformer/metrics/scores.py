"""Corpus scores by sacrebleu, with signatures and confidence intervals.

A score without its signature cannot be compared: how text is cut into words changes BLEU by several points.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.base import Metric
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from .indic import INDIC_VERSION, indic_tokens

Tokenize = Literal["13a", "intl", "none", "char", "indic"]

N_RESAMPLES = 1000
SEED = 12345  # sacrebleu's own

# Languages whose sentences end in a danda, which sacrebleu's 13a leaves glued to the word before it.
INDIC_LANGUAGES = frozenset({"as", "bn", "gu", "hi", "kn", "ml", "mr", "ne", "or", "pa", "sa", "ta", "te"})


@dataclass(frozen=True, kw_only=True)
class Score:
    """A corpus score from 0 to 100; with 95 % confidence it lies between `low` and `high` (bootstrap)."""

    name: str
    value: float
    signature: str
    low: float
    high: float


def score(
    hypotheses: Sequence[str],
    references: Sequence[str],
    tgt_lang: str,
    *,
    tokenize: Tokenize | None = None,
    lowercase: bool = False,
    n_resamples: int = N_RESAMPLES,
) -> list[Score]:
    """BLEU and chrF++ of a corpus, one reference to each hypothesis.

    `tokenize` None: what suits the language. For Hindi and its relatives that is BLEU twice, over Indic tokens and by
    sacrebleu's `intl`. `n_resamples` 0: no confidence interval, `low` and `high` are the value itself.
    """
    if len(hypotheses) != len(references) or not references:
        raise ValueError(
            f"{len(hypotheses)} hypotheses for {len(references)} references: each needs one, and one at least"
        )
    scores = []
    for how in [tokenize] if tokenize else default_tokenize(tgt_lang):
        # `force`: no warning on stderr that references look tokenised; whoever says "none" knows.
        metric = BLEU(lowercase=lowercase, tokenize="none" if how == "indic" else how, force=True)
        if how == "indic":
            cut = [[indic_tokens(line) for line in lines] for lines in (hypotheses, references)]
            scores.append(
                corpus_score("BLEU (Indic tokens)", metric, cut[0], cut[1], n_resamples, pretok=INDIC_VERSION)
            )
        else:
            scores.append(corpus_score(f"BLEU ({how})", metric, hypotheses, references, n_resamples))
    scores.append(corpus_score("chrF++", CHRF(word_order=2, lowercase=lowercase), hypotheses, references, n_resamples))
    return scores


def default_tokenize(tgt_lang: str) -> list[Tokenize]:
    """How BLEU's words are cut where nobody says how; the first is the one to quote."""
    if tgt_lang in INDIC_LANGUAGES:
        return ["indic", "intl"]
    return ["char"] if tgt_lang in ("ja", "zh", "th", "km", "lo", "my") else ["13a"]


def corpus_score(
    name: str,
    metric: Metric,
    hypotheses: Sequence[str],
    references: Sequence[str],
    n_resamples: int,
    *,
    pretok: str | None = None,
) -> Score:
    """One metric's score. `pretok` names in the signature who cut the text into words before sacrebleu saw it."""
    # What corpus_score does, in two steps: the statistics of each sentence are wanted once more for the resamples.
    stats = np.asarray(metric._extract_corpus_statistics(hypotheses, [references]), dtype=np.float64)  # [n, stats]
    value = metric._compute_score_from_stats(stats.sum(axis=0)).score
    low, high = confidence_interval(stats, metric, n_resamples) if n_resamples else (value, value)
    signature = str(metric.get_signature()) + ("" if pretok is None else f"|pretok:{pretok}")
    return Score(name=name, value=float(value), signature=signature, low=float(low), high=float(high))


def confidence_interval(stats: NDArray[np.float64], metric: Metric, n_resamples: int) -> tuple[float, float]:
    """Where 95 % of the scores lie if as many sentences are drawn from these, with repetition, again and again.

    The draws are those of sacrebleu's `--confidence`, one at a time: all at once would take gigabytes.
    """
    random = np.random.default_rng(SEED)
    n_sentences = len(stats)
    scores = sorted(
        metric._compute_score_from_stats(stats[random.choice(n_sentences, n_sentences)].sum(axis=0)).score
        for _ in range(n_resamples)
    )
    outside = n_resamples // 40  # on either side
    return scores[outside], scores[n_resamples - outside - 1]
