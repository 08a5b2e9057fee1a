"""The library's own."""

from glassformer.training.schedule import noam


def learning_rate(step: int, d_model: int, warmup: int) -> float:
    """Give the library's piece the stage's name."""
    return noam(step, d_model=d_model, warmup=warmup)
