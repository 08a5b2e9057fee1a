"""A Transformer as two programs of torch.export (see graphs.py): torch runs them without glassformer."""

import warnings
from pathlib import Path

import torch

from glassformer.nn import Transformer

from .graphs import EncoderGraph, StepGraph, encoder_example, free_axes, step_example


def write_torch_export(model: Transformer, folder: Path) -> None:
    """Write encoder.pt2 and decoder_step.pt2."""
    graphs = (
        ("encoder.pt2", EncoderGraph(model), encoder_example(model)),
        ("decoder_step.pt2", StepGraph(model), step_example(model)),
    )
    for name, graph, example in graphs:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")  # torch's remarks on its own exporter
            program = torch.export.export(
                graph.eval(), example.inputs, dynamic_shapes=free_axes(example, model.config), strict=False
            )
            torch.export.save(program, folder / name)
