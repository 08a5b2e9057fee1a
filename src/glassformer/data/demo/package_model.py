"""`python -m glassformer.data.demo.package_model RUN`: put a demo's model into the package, as `make model` does.

Weights are stored in half precision, which halves the file and changes no translation that the tests look at.
"""

import shutil
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file


def package_model(run: Path, package: Path) -> None:
    """Copy what a translator needs from a run folder."""
    shutil.rmtree(package, ignore_errors=True)
    package.mkdir(parents=True)
    for name in ("config.json", "README.md", "curves.png"):  # the card shows the curves
        shutil.copy(run / name, package / name)
    shutil.copytree(run / "tokenizer", package / "tokenizer")
    weights = {name: weight.astype(np.float16) for name, weight in load_file(run / "model.safetensors").items()}
    save_file(weights, package / "model.safetensors", metadata={"format": "pt"})
    (package / "model.safetensors").chmod(0o644)


if __name__ == "__main__":
    package_model(Path(sys.argv[1]), Path(str(files("glassformer.data.demo") / "en-hi-demo")))
