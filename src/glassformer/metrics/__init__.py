"""How good a translation is: BLEU and chrF++ by sacrebleu, with their signatures.

    indic.py     words of Hindi and its relatives, for BLEU
    scores.py    corpus scores with confidence intervals

Knows nothing of models, and does not import torch.
"""

from .indic import indic_tokens
from .scores import Score, score

__all__ = ["Score", "indic_tokens", "score"]
