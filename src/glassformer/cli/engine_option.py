"""`--engine`: which engine searches for translations. The default is chosen by measurement: docs/results.md."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from glassformer.cli.search_options import SearchOptions
from glassformer.errors import GlassformerError

if TYPE_CHECKING:
    from glassformer.translation import SearchConfig, Translator

OwnEngine = Literal["fast", "int8", "torch"]
EngineName = Literal["fast", "int8", "torch", "ctranslate2"]


def use_own_engine(name: OwnEngine, translator: "Translator") -> None:
    """Hand the translator one of our own engines. They search alike; int8 rounds, so its scores differ a little."""
    if name == "torch":
        return
    from glassformer.fast.engine import engine_for, is_on_cpu, is_supported

    if is_on_cpu(translator.model):
        compile_if_new()
    if name == "int8" and not is_supported(translator.model, "int8"):
        raise GlassformerError(
            "--engine int8 needs a CPU with packed int8 products and float32 weights, which is not what is here: "
            "take --engine fast"
        )
    translator.engine = engine_for(translator.model, "int8" if name == "int8" else "fp32")


def compile_if_new() -> None:
    """Compile what is in C++ if that was never tried; say so, for it takes some seconds."""
    from glassformer.fast.compiled.library import find_library, must_be_compiled

    if must_be_compiled():
        print("note: compiling the fast parts for this processor, once (some seconds) ...", file=sys.stderr)
        found = find_library()
        if found.functions is None:
            print(
                f"note: that did not work ({found.reason}): torch does the work instead, more slowly", file=sys.stderr
            )


def use_engine(
    name: EngineName, run: Path, translator: "Translator", config: "SearchConfig", given: SearchOptions
) -> "SearchConfig":
    """Hand the translator its engine; return how it will search.

    What a user asked for and the engine cannot do is refused. What the run itself asks for gives way, with a note.
    """
    if name != "ctranslate2":
        use_own_engine(name, translator)
        return config
    import torch

    from glassformer.interop.ctranslate2 import nearest_search, open_engine, refuse_search
    from glassformer.run import Run

    nearest = given.change(nearest_search(config))
    refuse_search(nearest)
    changes = [
        f"{what} {getattr(nearest, what)} instead of {getattr(config, what)}"
        for what in ("penalty", "stopping")
        if getattr(nearest, what) != getattr(config, what) and nearest.beam_width > 1
    ]
    if changes:
        print(f"note: CTranslate2 searches in its own way: {', '.join(changes)}", file=sys.stderr)
    translator.engine = open_engine(Run(run), translator.model, threads=torch.get_num_threads())
    return nearest
