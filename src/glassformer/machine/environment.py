"""What surrounds torch: the Python that runs, needed packages, the C++ compiler that torch.compile calls."""

import platform
import subprocess
import sys
import sysconfig
from importlib.metadata import PackageNotFoundError, version

from glassformer.machine.check import Check, Fact
from glassformer.machine.compiler import find_compiler
from glassformer.machine.parts import PARTS, Part, install_command

OLDEST_PYTHON = (3, 11)
NEWEST_PYTHON = (3, 14)


def check_python(running: tuple[int, int] = sys.version_info[:2]) -> Check:
    """Compare the Python that runs with the versions that glassformer is meant for."""
    supported = OLDEST_PYTHON <= running <= NEWEST_PYTHON
    expected = f"3.{OLDEST_PYTHON[1]} to 3.{NEWEST_PYTHON[1]}"
    text = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    facts: dict[str, Fact] = {
        "version": platform.python_version(),
        "supported": supported,
        "executable": sys.executable,
    }
    if supported:
        return Check(name="Python", state="well", found=text, facts=facts)
    advice = f"glassformer is tested with Python {expected}: make a virtual environment with one of these"
    return Check(
        name="Python", state="wrong" if running < OLDEST_PYTHON else "note", found=text, advice=advice, facts=facts
    )


def check_package(name: str) -> Check:
    """Look up a package that glassformer cannot do without."""
    try:
        found = version(name)
    except PackageNotFoundError:
        advice = f"{sys.executable} -m pip install {name}"
        return Check(name=name, state="wrong", found="not installed", advice=advice, facts={"version": None})
    return Check(name=name, state="well", found=found, facts={"version": found})


def check_part(part: Part) -> Check:
    """Look for the packages of an optional part."""
    missing = part.missing()
    facts: dict[str, Fact] = {
        "present": not missing,
        "missing": " ".join(missing),
        "install": install_command(part.name),
    }
    if not missing:
        return Check(name=f"[{part.name}]", state="well", found=part.purpose, facts=facts)
    found = f"{part.purpose}: not installed ({', '.join(missing)})"
    return Check(name=f"[{part.name}]", state="note", found=found, advice=install_command(part.name), facts=facts)


def check_parts() -> list[Check]:
    """Look for the packages of every optional part."""
    return [check_part(part) for part in PARTS]


def check_compiler() -> Check:
    """Find the C++ compiler and let it read Python.h: what fast/ compiles needs the one, torch.compile both."""
    name = "C++ compiler"
    compiler = find_compiler()
    if compiler is None:
        advice = "without one, all is slower. Debian: apt-get install g++; macOS: xcode-select --install"
        return Check(name=name, state="note", found="none", advice=advice, facts={"path": None, "works": False})
    works, called = _reads_python_headers(compiler), " ".join(compiler)
    facts: dict[str, Fact] = {"path": compiler[0], "works": works}
    if works:
        return Check(name=name, state="well", found=f"{called}, torch.compile can use it", facts=facts)
    advice = "only torch.compile needs Python.h. Debian: apt-get install python3-dev"
    return Check(name=name, state="note", found=f"{called}, but it cannot read Python.h", advice=advice, facts=facts)


def _reads_python_headers(compiler: list[str]) -> bool:
    command = [*compiler, "-fsyntax-only", "-I", sysconfig.get_path("include"), "-x", "c++", "-"]
    try:
        done = subprocess.run(command, input=b"#include <Python.h>\n", capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
