"""What a server allows, and how long it waits. Imports nothing heavy."""

import math
from dataclasses import dataclass

POSITIVE = (
    "max_body", "max_characters", "max_texts", "max_waiting", "max_explaining", "batch_texts", "batch_characters",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ServerSettings:
    """The defaults suit one machine that serves its own programs."""

    api_keys: frozenset[str] = frozenset()  # empty: nobody needs one
    allowed_hosts: tuple[str, ...] = ()  # names that requests may call the server by; empty: any
    cors_origins: tuple[str, ...] = ()  # empty: no page from elsewhere may ask
    max_body: int = 1_000_000  # bytes of one request
    max_characters: int = 20_000  # of all texts of one request
    max_texts: int = 500  # in one request
    max_alternatives: int = 10
    max_waiting: int = 2_000  # texts in the queue; more are turned away with 429
    max_explaining: int = 64  # explanations that wait or are made; more are turned away with 429
    batch_texts: int = 64  # decoded together
    batch_characters: int = 10_000  # decoded together, unless one text alone has more
    batch_wait: float = 0.005  # seconds that a text waits for company
    seconds: float = 60.0  # a request's time limit

    def __post_init__(self) -> None:
        for name in POSITIVE:
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 1")
        for name in ("batch_wait", "seconds", "max_alternatives"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be finite and not negative")
        if "" in self.api_keys:
            raise ValueError("an API key is empty: nobody could give it")
