"""`glassformer export`: a run's model in a folder for another engine. Writing it is interop/export.py's."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

Target = Literal["marian", "ctranslate2", "onnx", "torch-export"]


def export(
    run: Path | None = None,
    /,
    *,
    to: Annotated[Target, Parameter(name="--to")],
    out: Path | None = None,
) -> None:
    """Write a run's model for another engine: Marian, CTranslate2, ONNX, torch.export.

    The folder holds all that the engine needs to translate text, and a README with an example that runs. What an
    engine cannot express is refused, with what is missing.

    Parameters
    ----------
    run
        The run folder. Without it, runs/demo if it is there, else the model in the package.
    to
        marian (transformers' MarianMTModel), ctranslate2, onnx or torch-export (each the encoder and a decoder's step).
    out
        The folder to make. Without it, the run's name and the engine's, here.
    """
    from glassformer.run import Run, default_run

    opened = Run.open(run) if run is not None else Run(default_run())
    folder = out if out is not None else Path(f"{opened.folder.resolve().name}-{to}")

    from glassformer.interop.export import export_run

    export_run(opened, to, folder)
    print(f"wrote {folder}: see its README.md")
