"""Time spent training, and how fast it goes. Nothing here reaches the weights."""

import time


class Clock:
    """Time spent training, over all interruptions, and the speed since the last look."""

    def __init__(self) -> None:
        self.start(0.0)

    def start(self, seconds: float) -> None:
        """Go on from so many seconds."""
        now = time.perf_counter()
        self._began, self._looked = now - seconds, now

    def seconds(self) -> float:
        """Return the seconds of training so far."""
        return round(time.perf_counter() - self._began, 3)

    def lap(self, n_tokens: int) -> dict[str, float]:
        """Return the seconds so far, and how many tokens a second have passed since the last look."""
        now = time.perf_counter()
        speed = n_tokens / (now - self._looked)
        self._looked = now
        return {"seconds": self.seconds(), "tokens_per_second": round(speed, 1)}
