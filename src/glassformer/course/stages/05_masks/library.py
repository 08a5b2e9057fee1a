"""The library's own."""

from torch import Tensor

from glassformer.nn import attention, masks, real_places

__all__ = ["attention", "may_look", "no_future", "real_places"]


def no_future(n_places: int) -> Tensor:
    """As many queries as keys."""
    return masks.no_future(n_places, n_places)


def may_look(ids: Tensor, pad_id: int) -> Tensor:
    """Both, put together as the library's model does it."""
    return real_places(ids, pad_id) & no_future(ids.size(1))
