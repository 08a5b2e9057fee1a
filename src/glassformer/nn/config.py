"""Every size and choice that makes one Transformer differ from another, and the presets. Paper: table 3, section 5.4.

Knows nothing of training, text or files, and does not import torch.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from types import NoneType
from typing import Any, Literal, Self, get_args, get_origin

Positions = Literal["sinusoidal", "sinusoidal-halves", "learned", "rotary"]
Activation = Literal["relu", "gelu", "silu"]
Norm = Literal["layer", "rms"]
Placement = Literal["post", "pre"]
Sharing = Literal["all", "target", "none"]


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """The defaults are the paper's base model; what differs from the paper is listed in docs/departures.md."""

    # Tokens the model knows. One number for both languages, unless `tgt_vocab_size` gives the target side its own.
    vocab_size: int
    tgt_vocab_size: int | None = None

    d_model: int = 512  # width of every vector that passes between the parts
    n_heads: int = 8
    d_ff: int = 2048
    n_encoder_layers: int = 6
    n_decoder_layers: int = 6

    dropout: float = 0.1  # on each sub-layer's output, and on embeddings plus positions (5.4)
    attention_dropout: float = 0.0  # on the attention weights: the paper has none, its authors' code does
    activation_dropout: float = 0.0  # inside the feed-forward

    positions: Positions = "sinusoidal"
    max_length: int = 1024  # places of the longest sentence; costs parameters only where positions are learned
    activation: Activation = "relu"
    gated: bool = False  # "silu" and gated together are SwiGLU
    norm: Norm = "layer"
    norm_placement: Placement = "post"
    final_norm: bool | None = None  # a norm after each stack; None: with pre-norm yes, with post-norm no
    norm_eps: float = 1e-5
    bias: bool = True  # in the linear maps and in LayerNorm

    # "all": source, target and output use one matrix (3.4); "target": target and output do; "none": three matrices.
    share_embeddings: Sharing = "all"
    scale_embedding: bool = True  # times sqrt(d_model) (3.4)
    logits_bias: bool = False

    pad_id: int = 0
    bos_id: int = 2
    eos_id: int = 3
    decoder_start_id: int = 2

    def __post_init__(self) -> None:
        self._check_types()
        self._check_sizes()
        self._check_combinations()

    @classmethod
    def preset(cls, name: str, *, vocab_size: int, **changes: Any) -> Self:
        """The named preset with this vocabulary; any other field can be changed: `preset("modern", ..., d_ff=512)`."""
        if name not in PRESETS:
            raise ValueError(f"preset {name!r} is not known{_nearest(name, PRESETS)}; there are {', '.join(PRESETS)}")
        cls._check_names(changes)
        config = cls(vocab_size=vocab_size, **(PRESETS[name] | changes))
        if name == "marian":
            # Marian's vocabularies end in the pad, and its decoder starts from it.
            last = min(config.vocab_size, config.n_target_tokens) - 1
            config = replace(config, **({"pad_id": last, "decoder_start_id": last} | changes))
        return config

    def with_changes(self, **changes: Any) -> Self:
        """The same model but for these fields, checked anew."""
        self._check_names(changes)
        return replace(self, **changes)

    @property
    def head_width(self) -> int:
        return self.d_model // self.n_heads

    @property
    def n_target_tokens(self) -> int:
        return self.vocab_size if self.tgt_vocab_size is None else self.tgt_vocab_size

    @property
    def has_final_norm(self) -> bool:
        return self.norm_placement == "pre" if self.final_norm is None else self.final_norm

    @classmethod
    def _check_names(cls, changes: Iterable[str]) -> None:
        known = [field.name for field in fields(cls)]
        for key in changes:
            if key not in known:
                raise ValueError(f"ModelConfig has no field {key!r}{_nearest(key, known)}; it has {', '.join(known)}")

    def _check_types(self) -> None:
        for option in fields(self):
            value, choices = getattr(self, option.name), get_args(option.type)
            if get_origin(option.type) is Literal:
                if value not in choices:
                    near = _nearest(str(value), choices)
                    raise ValueError(f"{option.name} is {value!r}{near}; it must be one of {', '.join(choices)}")
                continue
            wanted = choices or (option.type,)
            # By type, not isinstance: True is an int to Python, and never what `n_heads = true` meant.
            if type(value) not in wanted and not (float in wanted and type(value) is int):
                names = " or ".join("None" if choice is NoneType else choice.__name__ for choice in wanted)
                raise ValueError(f"{option.name} is {value!r}; it must be of type {names}")

    def _check_sizes(self) -> None:
        for name in ("vocab_size", "d_model", "n_heads", "d_ff", "max_length"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 1")
        for name in ("n_encoder_layers", "n_decoder_layers"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}; it must not be negative")
        for name in ("dropout", "attention_dropout", "activation_dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 0 and below 1")
        if not 0 < self.norm_eps < 1:
            raise ValueError(f"norm_eps is {self.norm_eps}; it must be above 0 and below 1, such as 1e-5")
        if self.tgt_vocab_size is not None and self.tgt_vocab_size < 1:
            raise ValueError(f"tgt_vocab_size is {self.tgt_vocab_size}; it must be at least 1, or None")

    def _check_combinations(self) -> None:
        if self.d_model % self.n_heads:
            raise ValueError(
                f"d_model {self.d_model} does not split into {self.n_heads} heads of equal width: "
                f"{self.d_model} / {self.n_heads} leaves {self.d_model % self.n_heads} over; change d_model or n_heads"
            )
        if self.positions.startswith("sinusoidal") and self.d_model % 2:
            raise ValueError(f"{self.positions} positions pair sines with cosines: d_model {self.d_model} must be even")
        if self.positions == "rotary" and self.head_width % 2:
            raise ValueError(
                f"rotary positions turn pairs of columns: the head width {self.head_width} "
                f"(d_model {self.d_model} / n_heads {self.n_heads}) must be even"
            )
        if self.share_embeddings == "all" and self.n_target_tokens != self.vocab_size:
            raise ValueError(
                f'share_embeddings "all" needs one vocabulary, but vocab_size is {self.vocab_size} and tgt_vocab_size '
                f'{self.tgt_vocab_size}; make them equal, or use share_embeddings "target" or "none"'
            )
        if self.norm_placement == "pre" and self.final_norm is False:
            raise ValueError(
                'norm_placement "pre" with final_norm False hands the bare sum of all residuals to the output; '
                'leave final_norm out, or use norm_placement "post"'
            )
        smaller = min(self.vocab_size, self.n_target_tokens)
        for name in ("pad_id", "bos_id", "eos_id", "decoder_start_id"):
            if not 0 <= getattr(self, name) < smaller:
                raise ValueError(
                    f"{name} is {getattr(self, name)}, outside a vocabulary of {smaller} tokens (0 to {smaller - 1})"
                )
        if self.pad_id == self.eos_id:
            raise ValueError(
                f"pad_id and eos_id are both {self.pad_id}: the end of a sentence would be masked away as padding"
            )


def _nearest(word: str, known: Iterable[str]) -> str:
    match = get_close_matches(word, list(known), n=1)
    return f" (did you mean {match[0]!r}?)" if match else ""


PRESETS: dict[str, dict[str, Any]] = {
    "vanilla-2017": {},
    "vanilla-2017-big": {"d_model": 1024, "n_heads": 16, "d_ff": 4096, "dropout": 0.3},
    "marian": {
        "activation": "silu",
        "positions": "sinusoidal-halves",
        "max_length": 512,
        "logits_bias": True,
        "pad_id": 1,  # until the vocabulary's size is known: see `preset`
        "bos_id": 0,
        "eos_id": 0,
    },
    "modern": {
        "norm": "rms",
        "norm_placement": "pre",
        "norm_eps": 1e-6,
        "positions": "rotary",
        "activation": "silu",
        "gated": True,
        "d_ff": 1408,  # two thirds of 2048, rounded up to a multiple of 64: three matrices cost what two did
        "bias": False,
    },
}
