"""Which numbers to calculate with (fp32 or bf16), and on which device.

"auto" measures (see machine/precision.py) and prefers what always works. Weights and sums stay in fp32 either way.
"""

from typing import Literal

import torch

from glassformer.errors import GlassformerError
from glassformer.machine.precision import MeasureError, measure_bf16
from glassformer.machine.torch_build import check_device, device_names
from glassformer.training.config import Precision

Settled = Literal["fp32", "bf16"]


class DeviceError(GlassformerError):
    """This machine cannot calculate in the way that was asked for."""


def autocast(device: torch.device, precision: str) -> torch.autocast:
    """A context in which matrix products are made in this precision."""
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=precision == "bf16")


def choose_device(wanted: str) -> tuple[str, str]:
    """Return a device and why. "auto": the first that calculates as the CPU does; the CPU can always be had."""
    if wanted != "auto":
        kind, known = wanted.partition(":")[0], {name.partition(":")[0] for name in device_names()}
        if kind not in known:
            raise DeviceError(f"device {wanted!r} is not here; this machine has {', '.join(device_names())}")
        try:
            torch.device(wanted)
        except RuntimeError:
            raise DeviceError(
                f"device {wanted!r} is none; expected a name and perhaps a number, such as {kind}:0"
            ) from None
        return wanted, "as asked"
    for name in device_names():
        check = check_device(name)
        if check.state == "well":
            return name.partition(":")[0], check.found
    return "cpu", "the others calculate wrongly"


def choose_precision(wanted: Precision, device: str) -> tuple[Settled, str]:
    """Return fp32 or bf16, and why. Measures on a CPU, in a process of its own, since bf16 may kill a process."""
    if wanted == "fp32":
        return "fp32", "as asked"
    if device.startswith("cuda"):
        works = torch.cuda.is_bf16_supported()
        if wanted == "bf16" and not works:
            raise DeviceError(f'precision "bf16" is not possible on {device}; use "fp32" or "auto"')
        return ("bf16", "this GPU has it") if works else ("fp32", "this GPU has no bf16")
    try:
        speed = measure_bf16(seconds=1.0 if wanted == "auto" else 0.0)
    except MeasureError as error:
        return ("bf16", "as asked") if wanted == "bf16" else ("fp32", f"bf16 could not be measured: {error}")
    if speed is None:
        if wanted == "bf16":
            raise DeviceError(
                'precision "bf16" kills the process on this CPU (`glassformer doctor` says more); use "fp32" or "auto"'
            )
        return "fp32", "bf16 does not work on this CPU"
    if wanted == "bf16":
        return "bf16", "as asked"
    measured = f"bf16 trains {speed.training:.2f} times as fast here"
    return ("bf16", measured) if speed.pays else ("fp32", measured)
