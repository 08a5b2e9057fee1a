"""Who may look at whom. Paper: section 3.2.3, and the "Mask (opt.)" box of figure 2.

A mask is a boolean tensor named for what True means: `visible`, "may look". Masks are made here, from token ids, and
broadcast against attention scores [B, H, Q, K]. Nothing is hidden here: dot_product.py does that.
"""

import torch
from torch import Tensor


def real_places(ids: Tensor, pad_id: int) -> Tensor:
    """Hide padding: every query may look at every place that holds a real token. ids [B, K]; gives [B, 1, 1, K]."""
    return (ids != pad_id)[:, None, None, :]


def no_future(n_queries: int, n_keys: int, device: torch.device | None = None) -> Tensor:
    """Hide the future: the last query stands at the last key, and each looks at its own place and all before it.

    With as many queries as keys this is the lower triangle. With fewer, the first keys come from a cache and every
    query may see them. Gives [Q, K].
    """
    # Compare places, not `ones(...).tril()`: torch.export then keeps both lengths free.
    query_place = torch.arange(n_keys - n_queries, n_keys, device=device)
    key_place = torch.arange(n_keys, device=device)
    return key_place <= query_place[:, None]  # [Q, K]
