"""Examine the whole machine, in order. Prints nothing (see cli/doctor.py)."""

from collections.abc import Callable

from glassformer.machine.check import Check, Fact, Report
from glassformer.machine.environment import check_compiler, check_package, check_parts, check_python
from glassformer.machine.precision import Bf16Speed, MeasureError, measure_bf16
from glassformer.machine.torch_build import check_device, check_threads, check_torch, device_names

# All of AVX-512 but no AMX: what a virtual machine most often announces and then refuses.
TAME_INSTRUCTIONS = "AVX512_CORE_BF16"


def examine_machine(tick: Callable[[float], None]) -> Report:
    """Make every check; if torch does not work, those that need none. `tick` is told the share done, 0 to 1."""
    torch = check_torch()
    checks = [check_python(), torch]
    if torch.state != "wrong":
        checks += [check_threads(), check_bf16(tick), *(check_device(name) for name in device_names())]
    checks += [check_package("safetensors"), check_compiler(), *check_parts()]
    return Report(checks=tuple(checks))


def check_bf16(tick: Callable[[float], None]) -> Check:
    """Measure whether bf16 pays. Neither answer is wrong: fp32 always works."""
    try:
        speed = measure_bf16(tick=tick)
    except MeasureError as error:
        found = f"could not be measured: {error}"
        return Check(name="bf16", state="note", found=found, advice="stay with fp32", facts={"works": None})
    if speed is not None:
        return Check(name="bf16", state="well", found=_describe(speed), facts=_facts(speed, works=True))
    tamed = measure_bf16(tick=tick, instructions=TAME_INSTRUCTIONS)
    if tamed is None:
        found = "kills the process on this CPU"
        return Check(name="bf16", state="note", found=found, advice="stay with fp32", facts={"works": False})
    found = (
        f"kills the process: this CPU announces instructions that it refuses to run; without them {_describe(tamed)}"
    )
    advice = f"before using bf16: export ONEDNN_MAX_CPU_ISA={TAME_INSTRUCTIONS}" if tamed.pays else "stay with fp32"
    return Check(name="bf16", state="note", found=found, advice=advice, facts=_facts(tamed, works=False))


def _describe(speed: Bf16Speed) -> str:
    verdict = "it pays" if speed.pays else "it does not pay"
    return f"{verdict}: {speed.product:.2f} x the speed of fp32 in products, {speed.training:.2f} x in training a layer"


def _facts(speed: Bf16Speed, *, works: bool) -> dict[str, Fact]:
    product, training = round(speed.product, 3), round(speed.training, 3)
    return {
        "works": works,
        "pays": speed.pays,
        "product_speedup": product,
        "training_speedup": training,
        "rounds": speed.rounds,
    }
