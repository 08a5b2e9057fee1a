"""Stage 10 in the real model: the learner's positions, which are added to vectors; the library asks for them alone."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from glassformer.course.swap import Adapter
from glassformer.course.universe import Subject
from glassformer.nn import ModelConfig, SinusoidalPositions


class PositionsAdapter(Adapter, SinusoidalPositions):
    """The learner's positions. Nothing to load: a formula gives them."""

    replaces = SinusoidalPositions
    here: Tensor

    def __init__(self, learners: nn.Module, library: nn.Module, subject: Subject, config: ModelConfig) -> None:
        super().__init__(learners, library, subject, config)
        self.d_model = config.d_model
        self.register_buffer("here", torch.empty(0), persistent=False)  # moves with the model: where zeros are made

    @classmethod
    def build(cls, subject: Subject, config: ModelConfig) -> nn.Module:
        """In the sizes of this model; dropout stays the library's, which puts it behind the sum."""
        return subject.part("Positions")(config.d_model, config.max_length)

    @classmethod
    def paths(cls, config: ModelConfig) -> Mapping[str, str]:
        """No weights."""
        return {}

    def forward(self, n_places: int, start: int = 0) -> Tensor:
        """What is added to nothing, at places `start` to `start + n_places`: [n_places, D]."""
        nothing = torch.zeros(1, start + n_places, self.d_model, device=self.here.device, dtype=self.here.dtype)
        positions: Tensor = self.learners(nothing)
        return positions[0, start:]


ADAPTERS = [PositionsAdapter]
