"""Words of Hindi and its relatives, for BLEU: what "Indic tokens" means in published scores.

Punctuation and dandas stand alone, as the Indic NLP Library's `trivial_tokenize` has it; words are never cut inside,
whatever vowel signs they hold. For scoring only: a model's subwords are text/'s.
"""

import re

# In the signature of a score: another number once the same text would be cut differently.
INDIC_VERSION = "glassformer-indic-1"

# ASCII punctuation (all of it, "$" and "+" too) and the sentence ends of the Indic scripts.
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~।॥\uaaf0\uaaf1\uabeb\u1c7e\u1c7f])")
_NUMBER_CUT = re.compile(r"(?<=[0-9]) ([,.:/]) (?=[0-9])")


def indic_tokens(text: str) -> str:
    """The text with one space between its tokens: "है।" -> "है ।". Numbers and dates (1,000 or 12:30) stay whole."""
    apart = " ".join(_PUNCTUATION.sub(r" \1 ", text).split())
    return _NUMBER_CUT.sub(r"\1", apart)
