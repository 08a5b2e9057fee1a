"""The [data] section: files, filters and order in one."""

import pytest

from glassformer.data.config import DataConfig
from glassformer.data.filters import FilterConfig
from glassformer.data.order import OrderConfig


def test_it_can_be_given_where_filters_or_an_order_are_wanted() -> None:
    config = DataConfig(max_tokens=50, batch_tokens=700)
    assert isinstance(config, FilterConfig)
    assert isinstance(config, OrderConfig)


@pytest.mark.parametrize(("field", "value"), [("max_tokens", 1), ("batch_tokens", 0), ("hold_out", -1)])
def test_the_checks_of_its_parts_hold(field: str, value: int) -> None:
    with pytest.raises(ValueError, match=f"{field} is {value}"):
        DataConfig(**{field: value})


def test_a_prepared_folder_and_files_of_text_exclude_each_other() -> None:
    DataConfig(prepared="data")
    with pytest.raises(ValueError, match="leave out train and valid, or prepared"):
        DataConfig(prepared="data", train=("a.tsv",))
