"""Several processes, one training: each takes its share of every batch, and their gradients are added.

Started by torchrun, which says in the environment who is who. Gradients are added here by hand, in one flat all-reduce,
instead of by torch's DistributedDataParallel: that one takes the mean over processes, and the loss is to be divided
once by all real tokens, of which processes have unequal numbers. A share may even be empty.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta

import torch
from torch import Tensor, nn
from torch import distributed as torch_distributed

from glassformer.errors import GlassformerError

# The others wait while the first one validates; a process that died is noticed at once, without this.
PATIENCE = timedelta(minutes=30)


class TeamError(GlassformerError):
    """The processes of a training cannot work together any more."""


@dataclass(frozen=True, kw_only=True)
class Team:
    """The processes that train together, seen from one of them. A team of one talks to nobody."""

    rank: int = 0
    size: int = 1
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))

    @property
    def leads(self) -> bool:
        """Say whether this process is the one that writes files and shows progress."""
        return self.rank == 0

    def sum(self, numbers: Sequence[float]) -> list[float]:
        """Add up each number over the team."""
        if self.size == 1:
            return list(numbers)
        totals = torch.tensor(numbers, dtype=torch.float64, device=self.device)
        self._all_reduce(totals)
        return totals.tolist()

    def any(self, mine: bool) -> bool:
        """Say whether it is so for anyone: all processes get the same answer, and so do the same thing next."""
        return self.sum([float(mine)])[0] > 0

    def wait(self) -> None:
        """Wait until every process has come here."""
        self.sum([0.0])

    def sum_gradients(self, parameters: Sequence[nn.Parameter]) -> None:
        """Add up the gradients over the team, in place."""
        if self.size == 1:
            return
        gradients = [torch.zeros_like(p) if p.grad is None else p.grad for p in parameters]
        flat = torch.cat([gradient.flatten() for gradient in gradients])
        self._all_reduce(flat)
        for parameter, summed in zip(parameters, flat.split([p.numel() for p in parameters]), strict=True):
            parameter.grad = summed.view_as(parameter)

    def _all_reduce(self, numbers: Tensor) -> None:
        try:
            torch_distributed.all_reduce(numbers)
        except RuntimeError as error:
            raise TeamError(
                f"process {self.rank} of {self.size} lost another one ({str(error).splitlines()[0]}): all stop here. "
                "Go on from the last checkpoint with --resume"
            ) from None


ALONE = Team()


@contextmanager
def join_team(device: torch.device) -> Iterator[Team]:
    """Meet the other processes that torchrun started; without torchrun, a team of one."""
    if "WORLD_SIZE" not in os.environ:
        yield Team(device=device)
        return
    if absent := [name for name in ("RANK", "MASTER_ADDR", "MASTER_PORT") if name not in os.environ]:
        raise TeamError(
            f"WORLD_SIZE is set, as for several processes that train together, but {' and '.join(absent)} is not: "
            "start the training with torchrun, or unset WORLD_SIZE to train with one process"
        )
    backend = "nccl" if device.type == "cuda" else "gloo"
    try:
        torch_distributed.init_process_group(backend, timeout=PATIENCE)
    except ValueError as error:
        raise TeamError(f"the processes cannot meet ({error}): start the training with torchrun") from None
    try:
        rank, size = torch_distributed.get_rank(), torch_distributed.get_world_size()
        yield Team(rank=rank, size=size, device=device)
    finally:
        torch_distributed.destroy_process_group()


def local_device(device: str) -> torch.device:
    """The device of this process: with several GPUs, the one of its number on this machine."""
    if device == "cuda":
        return torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
    return torch.device(device)
