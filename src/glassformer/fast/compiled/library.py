"""step.cpp as a library of functions: compiled for this processor when it is first asked for, and kept.

Whatever goes wrong (no compiler, no place to keep it, a processor that announces what it does not have) ends in None;
then torch does the work. GLASSFORMER_COMPILE=0 asks for that. Does not import torch.
"""

import ctypes
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).with_name("step.cpp")
FLAGS = ("-O3", "-std=c++17", "-fopenmp-simd", "-fPIC", "-shared")
SECONDS = 120  # after which a compiler is given up

Address = ctypes.c_void_p
Count, Whole = ctypes.c_int32, ctypes.c_int64
SIGNATURES: dict[str, tuple[object, list[type]]] = {
    "has_int8": (Count, []),
    "linear_new": (Address, [Address, Address, Count, Count, Count]),
    "linear_run": (None, [Address, Address, Whole, Address]),
    "linear_free": (None, [Address]),
    "batch_new": (Address, [Address, Count, Count, Address, Address]),
    "batch_advance": (None, [Address, Address, Address, Whole, Address]),
    "batch_keep": (None, [Address, Address, Whole]),
    "batch_free": (None, [Address]),
    "best_of": (None, [Address, Address, Whole, Count, Address, Count, Address, Address]),
}


@cache
def library() -> ctypes.CDLL | None:
    """The functions of step.cpp; None where they cannot be had."""
    kept = kept_file()
    if kept is None:
        return None
    if kept.exists():
        try:
            return load(kept)
        except (OSError, AttributeError):
            pass  # cut short, or not ours: make it anew
    try:
        return load(kept) if compile_into(kept) else None
    except (OSError, subprocess.SubprocessError):
        return None


def must_be_compiled() -> bool:
    """Whether the first call of `library` will take the seconds that compiling takes."""
    kept = kept_file()
    return kept is not None and not kept.exists()


def kept_file() -> Path | None:
    """Where the library for this source, compiler and processor is kept; None without a compiler, or if not wanted."""
    compiler = find_compiler()
    if compiler is None or os.environ.get("GLASSFORMER_COMPILE") == "0":
        return None
    parts = (SOURCE.read_text(encoding="utf-8"), compiler, *flags(), processor())
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "glassformer" / f"step-{digest}.so"


def find_compiler() -> str | None:
    """$CXX, or the C++ compiler on the path."""
    for name in (os.environ.get("CXX"), "c++", "g++", "clang++"):
        if name and (found := shutil.which(name)):
            return found
    return None


def flags() -> tuple[str, ...]:
    """What the compiler is told."""
    if platform.machine().lower() in ("x86_64", "amd64"):
        return (*FLAGS, "-march=native", "-mprefer-vector-width=512")
    return (*FLAGS, "-mcpu=native")


def processor() -> str:
    """What tells one processor from another: a home folder may be shared by machines of several kinds."""
    told = Path("/proc/cpuinfo")
    if not told.exists():
        return platform.processor() or platform.machine()
    lines = told.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join(dict.fromkeys(line for line in lines if line.startswith(("model name", "flags", "Features"))))


def compile_into(kept: Path) -> bool:
    """Compile, check in a process of its own, and only then put it in its place; return whether that went well."""
    compiler = find_compiler()
    assert compiler is not None
    kept.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
        made = Path(folder) / kept.name
        command = [compiler, *flags(), str(SOURCE), "-o", str(made)]
        if subprocess.run(command, capture_output=True, timeout=SECONDS, check=False).returncode:
            return False
        # A wrong instruction ends the process that meets it: not this one.
        check = [sys.executable, "-c", CHECK, str(made)]
        if subprocess.run(check, capture_output=True, timeout=SECONDS, check=False).returncode:
            return False
        made.replace(kept)
    return True


# 3 rows of five ones by the weights 1, 1, ... 1: in float32 and in bytes every result is 5 + 0.5.
CHECK = """
import ctypes, sys
functions = ctypes.CDLL(sys.argv[1])
functions.linear_new.restype = ctypes.c_void_p
for in_bytes in (0, 1):
    ones, bias, out = (ctypes.c_float * 350)(*[1.0] * 350), (ctypes.c_float * 70)(*[0.5] * 70), (ctypes.c_float * 210)()
    made = functions.linear_new(ones, bias, 70, 5, in_bytes)
    functions.linear_run(ctypes.c_void_p(made), ones, ctypes.c_int64(3), out)
    sys.exit(1) if max(abs(number - 5.5) for number in out) > 1e-3 else None
"""


def load(kept: Path) -> ctypes.CDLL:
    """The functions, told what they take."""
    functions = ctypes.CDLL(str(kept))
    for name, (result, arguments) in SIGNATURES.items():
        function = getattr(functions, name)
        function.restype, function.argtypes = result, arguments
    return functions
