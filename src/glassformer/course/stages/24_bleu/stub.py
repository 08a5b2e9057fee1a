"""Stage 24: BLEU, how much of a corpus of translations the references agree with. Papineni et al. (2002)."""

import math
from collections import Counter


def ngrams(words: list[str], n: int) -> Counter[tuple[str, ...]]:
    """How often each run of n neighbouring words occurs.

    ngrams(["a", "b", "a", "b"], 2) is Counter({("a", "b"): 2, ("b", "a"): 1}).

    https://docs.python.org/3/library/collections.html#collections.Counter
    """
    # Your code here
    raise NotImplementedError


def bleu(translations: list[list[str]], references: list[list[str]]) -> float:
    """Corpus BLEU from 0 to 100, one reference to each translation.

    For n = 1 to 4, over ALL sentences together:

        p_n = n-grams of the translations that their own reference has too, each at most as often as it has it
              / n-grams of the translations

        BLEU = 100 * BP * (p_1 * p_2 * p_3 * p_4)^(1/4)
        BP   = 1                        where the translations together are as long as the references or longer
               exp(1 - r / c)           where they are shorter: c their words, r the references' words

    0 where there is no match of some n. (sacrebleu, with tokenize="none" and smooth_method="none", agrees.)

    https://docs.python.org/3/library/math.html#math.exp
    https://docs.python.org/3/library/math.html#math.log
    """
    # Your code here
    raise NotImplementedError
