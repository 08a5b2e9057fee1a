"""A Transformer as two ONNX graphs (see graphs.py). Needs onnx and onnxscript."""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

from glassformer.nn import Transformer

from .graphs import (
    ENCODER_INPUTS,
    ENCODER_OUTPUTS,
    STEP_INPUTS,
    STEP_OUTPUTS,
    EncoderGraph,
    StepGraph,
    encoder_example,
    free_axes,
    step_example,
)


def write_onnx(model: Transformer, folder: Path) -> None:
    """Write encoder.onnx and decoder_step.onnx."""
    import onnxscript  # noqa: F401  torch needs it, and would say so less plainly

    graphs = (
        ("encoder.onnx", EncoderGraph(model), encoder_example(model), ENCODER_INPUTS, ENCODER_OUTPUTS),
        ("decoder_step.onnx", StepGraph(model), step_example(model), STEP_INPUTS, STEP_OUTPUTS),
    )
    for name, graph, example, inputs, outputs in graphs:
        with quietly():
            torch.onnx.export(
                graph.eval(),
                example.inputs,
                str(folder / name),
                input_names=list(inputs),
                output_names=list(outputs),
                dynamic_shapes=free_axes(example, model.config),
                dynamo=True,
                external_data=False,
                verbose=False,
            )


@contextmanager
def quietly() -> Iterator[None]:
    """Keep torch's remarks on its own exporter from a user who can do nothing about them."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
