"""Optional packages: which are here, and the exact command that installs the others.

Imports none of them: asks the import system whether they could be found.
"""

import json
import shlex
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from urllib.parse import urlparse
from urllib.request import url2pathname


@dataclass(frozen=True, kw_only=True)
class Part:
    """One extra of the package, and the modules that it brings."""

    name: str
    purpose: str
    modules: tuple[str, ...]

    def missing(self) -> list[str]:
        """Name the modules of this part that are not installed."""
        return [module for module in self.modules if find_spec(module) is None]


# The same as [project.optional-dependencies] in pyproject.toml, by the names that one imports.
PARTS = (
    Part(name="serve", purpose="an HTTP server", modules=("fastapi", "uvicorn", "python_multipart")),
    Part(
        name="interop",
        purpose="other people's models and engines",
        modules=("transformers", "ctranslate2", "onnx", "onnxruntime", "onnxscript"),
    ),
    Part(name="hub", purpose="models from and to the Hugging Face Hub", modules=("huggingface_hub",)),
    Part(name="tensorboard", purpose="curves in TensorBoard", modules=("tensorboard",)),
    Part(name="book", purpose="the course as a site", modules=("zensical",)),
    Part(
        name="bench",
        purpose="peers to compare with",
        modules=(
            *("transformers", "x_transformers", "ctranslate2", "matplotlib"),
            *("fastapi", "uvicorn", "python_multipart"),
        ),
    ),
    Part(
        name="dev",
        purpose="tests and checks",
        modules=(
            *("beartype", "ctranslate2", "onnxruntime", "onnxscript"),
            *("deep_translator", "fastapi", "hypothesis", "libretranslatepy", "mypy", "nbformat", "pytest"),
            *(
                "pytest_timeout",
                "xdist",
                "python_multipart",
                "playwright",
                "ruff",
                "schemathesis",
                "transformers",
                "uvicorn",
                "zensical",
            ),
        ),
    ),
)


def install_command(extra: str) -> str:
    """Return the command that installs an extra of glassformer into the Python that is running."""
    return f"{shlex.quote(sys.executable)} -m pip install {requirement(extra)}"


def torch_install_command() -> str:
    """Return the command that installs torch: on Linux the CPU build, since the default is several GB of CUDA."""
    index = " --index-url https://download.pytorch.org/whl/cpu" if sys.platform == "linux" else ""
    return f"{shlex.quote(sys.executable)} -m pip install 'torch>=2.6'{index}"


def requirement(extra: str) -> str:
    """Name glassformer with an extra the way pip was told about it: a clone, an address, or the package index."""
    try:
        origin = json.loads(distribution("glassformer").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        origin = {}
    if origin.get("dir_info", {}).get("editable"):
        clone = url2pathname(urlparse(origin["url"]).path)
        return f"-e {shlex.quote(f'{clone}[{extra}]')}"
    if "url" in origin:
        scheme = "git+" if origin.get("vcs_info", {}).get("vcs") == "git" else ""
        return shlex.quote(f"glassformer[{extra}] @ {scheme}{origin['url']}")
    return shlex.quote(f"glassformer[{extra}]")


def describe_import_error(error: ImportError) -> str:
    """Say which package could not be imported and the command that installs it; re-raise what is our own fault."""
    package = (error.name or "").partition(".")[0]
    if package == "glassformer":
        raise error
    if package == "torch":
        return f"torch cannot be imported ({error}). Install it: {torch_install_command()}"
    for part in PARTS:
        if package in part.modules:
            return f"this needs the package {package}, which is not installed. Install it: {install_command(part.name)}"
    raise error
