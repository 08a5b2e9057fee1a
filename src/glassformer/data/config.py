"""The [data] section of a run's TOML: which text, what is dropped of it, how it is cut into batches."""

from dataclasses import dataclass

from glassformer.data.filters import FilterConfig
from glassformer.data.order import OrderConfig


@dataclass(frozen=True, kw_only=True)
class DataConfig(FilterConfig, OrderConfig):
    """Where the text is, with the fields of FilterConfig and OrderConfig: it can be given where either is wanted.

    `train` and `valid` name files: .tsv and .jsonl files (or .gz of them) stand alone, others come in twos, the source
    and then the target. `prepared` names a folder that `glassformer prepare` made, instead.
    """

    train: tuple[str, ...] = ()
    valid: tuple[str, ...] = ()
    hold_out: int = 1000  # without `valid`, about so many pairs of `train`, at most 5 %, are kept for validation
    prepared: str = ""

    def __post_init__(self) -> None:
        FilterConfig.__post_init__(self)
        OrderConfig.__post_init__(self)
        if self.hold_out < 0:
            raise ValueError(f"hold_out is {self.hold_out}; it must be at least 0")
        if self.prepared and (self.train or self.valid):
            raise ValueError("prepared names a folder that holds all the data: leave out train and valid, or prepared")
