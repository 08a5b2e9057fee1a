"""The models served, by pair of languages; and which language a text is in, by the script it is written in."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from glassformer.errors import GlassformerError
from glassformer.text.language import expected_scripts, script_fraction
from glassformer.translation import Translator


class FleetError(GlassformerError):
    """These models cannot be served together."""


class Detected(NamedTuple):
    """A language, and how sure we are of it, 0 to 100."""

    language: str
    confidence: float


class Fleet:
    """Translators by (source, target)."""

    def __init__(self, translators: Sequence[Translator]) -> None:
        self._by_pair: dict[tuple[str, str], Translator] = {}
        for translator in translators:
            pair = (translator.facts.src_lang, translator.facts.tgt_lang)
            if pair in self._by_pair:
                raise FleetError(
                    f"two models translate from {pair[0]} to {pair[1]}: {self._by_pair[pair].facts.name} and "
                    f"{translator.facts.name}; serve one of them"
                )
            self._by_pair[pair] = translator

    def __iter__(self) -> Iterator[Translator]:
        return iter(self._by_pair.values())

    def pick(self, source: str, target: str) -> Translator | None:
        """The translator for a pair, if there is one."""
        return self._by_pair.get((source, target))

    @property
    def sources(self) -> list[str]:
        """The languages that can be translated from."""
        return list(dict.fromkeys(source for source, _ in self._by_pair))

    @property
    def languages(self) -> list[str]:
        """All languages that are a source or a target."""
        return list(dict.fromkeys(language for pair in self._by_pair for language in pair))

    def targets_of(self, source: str) -> list[str]:
        """What a language can be translated to."""
        return [target for found, target in self._by_pair if found == source]

    def detect(self, text: str) -> list[Detected]:
        """The served languages whose script a text is in, the likeliest first; none for a text without letters."""
        if not any(character.isalpha() for character in text):
            return []
        shares = {language: script_fraction(text, expected_scripts(language)) for language in self.languages}
        found = [Detected(language, round(100 * share, 1)) for language, share in shares.items() if share > 0]
        # Of languages with one script, those that can be translated from come first.
        return sorted(found, key=lambda detected: (-detected.confidence, detected.language not in self.sources))
