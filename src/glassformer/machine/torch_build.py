"""The torch that is installed: its build, its threads, its devices, and whether they calculate correctly."""

import os

from glassformer.machine.check import Check, Fact
from glassformer.machine.parts import torch_install_command

OLDEST_TORCH = (2, 6)
# Softmax gives values up to 1; fp32 on any device agrees to about 1e-6, and TF32 (ten bits of mantissa) to about 1e-3.
DEVICE_TOLERANCE = 1e-2


def check_torch() -> Check:
    """Import torch; a torch that is missing, broken or too old is reported with the command that mends it."""
    try:
        import torch
    except Exception as error:  # a broken build raises OSError, RuntimeError and others, not only ImportError
        missing = isinstance(error, ModuleNotFoundError) and error.name == "torch"
        found = "not installed" if missing else f"cannot be imported: {type(error).__name__}: {error}"
        # pip would find a broken torch already there, and do nothing.
        advice = torch_install_command() + ("" if missing else " --force-reinstall")
        return Check(name="torch", state="wrong", found=found, advice=advice, facts={"version": None})
    release = tuple(int(word) for word in torch.__version__.split("+")[0].split(".")[:2])
    build = f"CUDA {torch.version.cuda}" if torch.version.cuda else f"ROCm {torch.version.hip}"
    if not torch.version.cuda and not torch.version.hip:
        build = "no CUDA"
    found = f"{torch.__version__} ({build})"
    facts: dict[str, Fact] = {
        "version": str(torch.__version__),
        "cuda_build": torch.version.cuda,
        "hip_build": torch.version.hip,
    }
    if release < OLDEST_TORCH:
        found = f"{found}, older than 2.6"
        return Check(name="torch", state="wrong", found=found, advice=torch_install_command(), facts=facts)
    return Check(name="torch", state="well", found=found, facts=facts)


def check_threads() -> Check:
    """Compare torch's threads with the cores that this process may use."""
    import torch

    threads = torch.get_num_threads()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    facts: dict[str, Fact] = {"threads": threads, "logical_cores": cores}
    found = f"torch uses {threads}; this process may run on {cores} logical cores"
    limit = os.environ.get("OMP_NUM_THREADS")
    if threads < cores and limit == str(threads):
        advice = f"OMP_NUM_THREADS={limit} holds torch back: unset OMP_NUM_THREADS"
        return Check(name="threads", state="note", found=found, advice=advice, facts=facts)
    return Check(name="threads", state="well", found=found, facts=facts)


def device_names() -> list[str]:
    """Name the devices that torch can use, the CPU last."""
    import torch

    names = [f"cuda:{index}" for index in range(torch.cuda.device_count())] if torch.cuda.is_available() else []
    if torch.backends.mps.is_available():
        names.append("mps")
    return [*names, "cpu"]


def check_device(name: str) -> Check:
    """Describe a device; let any but the CPU multiply and normalise a matrix, and compare with the CPU's result."""
    import torch

    if name == "cpu":
        capability = torch.backends.cpu.get_cpu_capability()
        return Check(name="device cpu", state="well", found=capability, facts={"capability": capability})
    label = torch.cuda.get_device_name(name) if name.startswith("cuda") else name
    hide = "hide it from torch by setting CUDA_VISIBLE_DEVICES=" if name.startswith("cuda") else "stay on the CPU"
    advice = f"update the driver and torch, or {hide}"
    try:
        difference = largest_difference_from_cpu(name)
    except Exception as error:  # drivers fail in many ways; each is an answer to the question asked here
        found = f"{label} fails at a matrix product: {type(error).__name__}: {error}"
        return Check(name=f"device {name}", state="wrong", found=found, advice=advice, facts={"difference": None})
    facts: dict[str, Fact] = {"label": label, "difference": difference}
    if difference > DEVICE_TOLERANCE:
        found = f"{label} calculates wrongly: off by {difference:.2g} from the CPU after a product and a softmax"
        return Check(name=f"device {name}", state="wrong", found=found, advice=advice, facts=facts)
    found = f"{label}, agrees with the CPU to {difference:.1g}"
    return Check(name=f"device {name}", state="well", found=found, facts=facts)


def largest_difference_from_cpu(device: str) -> float:
    """Multiply two matrices and take a softmax, there and on the CPU; return how far apart the results are."""
    import torch

    generator = torch.Generator().manual_seed(0)
    left = torch.randn(97, 64, generator=generator)  # [rows, inner]
    right = torch.randn(64, 53, generator=generator)  # [inner, columns]
    expected = (left @ right).softmax(-1)  # [rows, columns]
    found = (left.to(device) @ right.to(device)).softmax(-1).cpu()  # [rows, columns]
    difference = (found - expected).abs().max().item()
    # NaN compares false with everything, and would pass for a small difference.
    return difference if difference == difference else float("inf")
