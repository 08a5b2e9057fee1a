"""step.cpp and training.cpp as one library: compiled for this processor when it is first asked for, and kept.

Whatever goes wrong (no compiler, no place to keep it, a processor that announces what it does not have) is told as a
reason, and torch does the work. GLASSFORMER_COMPILE=0 asks for that.
"""

import ctypes
import hashlib
import os
import platform
import stat
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

from glassformer.machine.compiler import find_compiler

SOURCES = ("step.cpp", "training.cpp")
FOLDER = Path(__file__).parent  # of these, and of vectors.h, which both read
FLAGS = ("-O3", "-std=c++17", "-fopenmp-simd", "-fPIC", "-shared")
SECONDS = 120  # after which a compiler is given up

Address = ctypes.c_void_p
Count, Whole = ctypes.c_int32, ctypes.c_int64
SIGNATURES: dict[str, tuple[object, list[type]]] = {
    "has_int8": (Count, []),
    "linear_new": (Address, [Address, Address, Count, Count, Count]),
    "linear_run": (Count, [Address, Address, Whole, Address]),
    "linear_free": (None, [Address]),
    "batch_new": (Address, [Address, Count, Count, Address, Address]),
    "batch_advance": (Count, [Address, Address, Address, Whole, Address]),
    "batch_keep": (Count, [Address, Address, Whole]),
    "batch_free": (None, [Address]),
    "best_of": (Count, [Address, Address, Whole, Count, Address, Count, Address, Address]),
    "attention_forward": (Count, [Address, Address]),
    "attention_backward": (Count, [Address, Address, Address, Address, Address]),
    "loss_compare": (Count, [Address, Address, Whole, Count, ctypes.c_float, Count, Count, Address, Address]),
}


class NotCompiledError(Exception):
    """There is no library; the message says why, in a few words."""


class Found(NamedTuple):
    """The functions of both, or why they cannot be had."""

    functions: ctypes.CDLL | None
    reason: str = ""


def library() -> ctypes.CDLL | None:
    """The functions of both; None where they cannot be had."""
    return find_library().functions


@cache
def find_library() -> Found:
    """Look for the library, make it if there is none yet."""
    try:
        kept = kept_file()
        if kept.exists():
            try:
                return Found(load(kept))
            except OSError:
                kept.unlink()  # cut short: make it anew
        compile_into(kept)
        return Found(load(kept))
    except NotCompiledError as error:
        return Found(None, str(error))
    except (OSError, RuntimeError, AttributeError) as error:
        return Found(None, f"it cannot be kept or loaded: {error}")


def must_be_compiled() -> bool:
    """Whether the first call of `library` will take the seconds that compiling takes."""
    try:
        kept = kept_file()
        return not kept.exists() and not failed(kept).exists()
    except (NotCompiledError, OSError, RuntimeError):
        return False


def kept_file() -> Path:
    """Where the library for this source, compiler and processor is kept."""
    if os.environ.get("GLASSFORMER_COMPILE", "1").lower() in ("0", "false", "no"):
        raise NotCompiledError("GLASSFORMER_COMPILE says so")
    texts = [(FOLDER / name).read_text(encoding="utf-8") for name in (*SOURCES, "vectors.h")]
    parts = (*texts, *compiler(), *flags(), processor())
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    asked = Path(os.environ.get("XDG_CACHE_HOME", ""))
    base = asked if asked.is_absolute() else Path.home() / ".cache"
    return base / "glassformer" / f"kernels-{digest}.so"


def failed(kept: Path) -> Path:
    """The note that says that compiling failed, so that it is not tried every time."""
    return kept.with_suffix(".failed")


def compiler() -> list[str]:
    """The C++ compiler's words."""
    found = find_compiler()
    if found is None:
        raise NotCompiledError("there is no C++ compiler")
    return found


def flags() -> tuple[str, ...]:
    """What the compiler is told."""
    family = platform.machine().lower()
    if family in ("x86_64", "amd64"):
        return (*FLAGS, "-march=native", "-mprefer-vector-width=512")
    return (*FLAGS, "-mcpu=native") if family in ("arm64", "aarch64") else FLAGS


def processor() -> str:
    """What tells one processor from another: a home folder may be shared by machines of several kinds."""
    told = Path("/proc/cpuinfo")
    if not told.exists():
        return f"{platform.machine()} {platform.node()}"
    lines = told.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join(dict.fromkeys(line for line in lines if line.startswith(("model name", "flags", "Features"))))


def compile_into(kept: Path) -> None:
    """Compile, check in a process of its own, and only then put it in its place."""
    if failed(kept).exists():
        raise NotCompiledError(failed(kept).read_text(encoding="utf-8"))
    kept.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
        made = Path(folder) / kept.name
        steps = {
            f"{compiler()[0]} failed": [
                *compiler(),
                *flags(),
                *(str(FOLDER / name) for name in SOURCES),
                "-o",
                str(made),
            ],
            # A wrong instruction ends the process that meets it: not this one.
            "what the compiler made does not work here": [sys.executable, "-I", "-c", CHECK, str(made)],
        }
        for complaint, command in steps.items():
            if not succeeds(command):
                failed(kept).write_text(complaint, encoding="utf-8")
                raise NotCompiledError(complaint)
        made.chmod(0o700)
        made.replace(kept)


def succeeds(command: list[str]) -> bool:
    """Run it to its end, without a word."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


# 3 rows of five ones by the weights 1, 1, ... 1: in float32 and in bytes every result is 5 + 0.5. The loss of logits
# that are all alike, in float32 and in bfloat16, is the logarithm of their number.
CHECK = """
import ctypes, math, sys
functions = ctypes.CDLL(sys.argv[1])
functions.linear_new.restype = ctypes.c_void_p
for in_bytes in (0, 1):
    ones, bias, out = (ctypes.c_float * 350)(*[1.0] * 350), (ctypes.c_float * 70)(*[0.5] * 70), (ctypes.c_float * 210)()
    made = functions.linear_new(ones, bias, 70, 5, in_bytes)
    functions.linear_run(ctypes.c_void_p(made), ones, ctypes.c_int64(3), out)
    sys.exit(1) if max(abs(number - 5.5) for number in out) > 1e-3 else None
    logits, right, losses = (ctypes.c_float * 350)(*[0.0] * 350), (ctypes.c_int64 * 5)(), (ctypes.c_float * 10)()
    sizes = ctypes.c_int64(5), 70, ctypes.c_float(0.1), in_bytes, 1
    functions.loss_compare(logits, right, *sizes, losses, ctypes.byref(losses, 20))
    sys.exit(1) if max(abs(number - math.log(70)) for number in losses) > 1e-3 else None
"""


def load(kept: Path) -> ctypes.CDLL:
    """The functions, told what they take."""
    refuse_if_others_may_write(kept)
    functions = ctypes.CDLL(str(kept))
    for name, (result, arguments) in SIGNATURES.items():
        function = getattr(functions, name)
        function.restype, function.argtypes = result, arguments
    return functions


def refuse_if_others_may_write(kept: Path) -> None:
    """What is loaded is run: so neither it nor its folder may be another user's, or open to one."""
    if not hasattr(os, "getuid"):
        return
    for path in (kept, kept.parent):
        about = path.stat()
        if about.st_uid != os.getuid() or about.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise NotCompiledError(f"others may write to {path}")
