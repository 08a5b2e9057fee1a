"""What goes into an explanation and what comes out: edits checked and written down, a search's record with its tokens.

Translates nothing itself: see `Translator.explain`.
"""

from collections.abc import Sequence

from glassformer.errors import GlassformerError
from glassformer.nn import Edits, ModelConfig
from glassformer.text.tokenizer import Tokenizer

from .findings import EditsMade, SearchNode, SearchTree
from .inside import Head, every_head
from .record import Recorder

LOGPROB_DIGITS = 6  # of a candidate: a float32 has no more to say


class TranslationError(GlassformerError):
    """This cannot be translated, or not with this model."""


def changes_something(edits: Edits) -> bool:
    """Whether a run with these edits is another than one without."""
    return any(edits.heads_off.values()) or any(
        map(len, (edits.layers_skipped, edits.source_hidden, edits.activations_replaced))
    )


def check_edits(edits: Edits | None, config: ModelConfig, lengths: Sequence[int]) -> None:
    """Refuse edits of what this model, or this text, does not have. lengths: how many places each of its pieces has."""
    if edits is None:
        return
    if edits.activations_replaced:
        raise TranslationError("a search cannot replace activations: they have another shape at every step")
    try:
        edits.check(config)
    except ValueError as error:
        raise TranslationError(str(error)) from None
    if edits.source_hidden and len(lengths) > 1:
        raise TranslationError(f"no place can be hidden in a text that is translated in {len(lengths)} pieces")
    n_places = sum(lengths)
    for place in edits.source_hidden:
        if not 0 <= place < n_places:
            has = f"has places 0 to {n_places - 1}" if n_places else "has none"
            raise TranslationError(f"Edits hides source place {place}; this source {has}")


def check_heads(heads: Sequence[Head], edits: Edits | None, config: ModelConfig) -> None:
    """Refuse to look at heads that this model does not have, or that compute nothing."""
    known = list(every_head(config))
    for head in heads:
        if head not in known:
            names = ", ".join(dict.fromkeys(name for name, _ in known))
            raise TranslationError(
                f"this model has no head {head.number} in {head.attention!r}: it has heads 0 to {config.n_heads - 1} "
                f"in each of {names}"
            )
        if edits is not None and head.attention.rpartition(".")[0] in edits.layers_skipped:
            raise TranslationError(f"{head.attention} computes nothing: its layer is skipped")


def written(edits: Edits) -> EditsMade:
    """Edits as a translation holds them."""
    return EditsMade(
        heads_off={name: tuple(sorted(heads)) for name, heads in edits.heads_off.items() if heads},
        layers_skipped=tuple(sorted(edits.layers_skipped)),
        source_hidden=tuple(sorted(edits.source_hidden)),
    )


def tree_of(recorder: Recorder, tokenizer: Tokenizer) -> SearchTree:
    """The record of a search with tokens for ids."""
    tokens = tokenizer.target_pieces([node.token for node in recorder.nodes])
    config = recorder.config
    return SearchTree(
        beam_width=config.beam_width,
        alpha=config.alpha,
        penalty=config.penalty,
        stopping=config.stopping,
        n_best=config.n_best,
        nodes=tuple(
            SearchNode(
                step=node.step,
                parent=node.parent,
                token=token,
                logprob=round(node.logprob, LOGPROB_DIGITS),
                score=round(node.score, LOGPROB_DIGITS),
                state=node.state,
            )
            for node, token in zip(recorder.nodes, tokens, strict=True)
        ),
        winner=recorder.winner,
        reason=recorder.reason,
    )
