"""`--engine`: which engine searches for translations."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from glassformer.cli.search_options import SearchOptions

if TYPE_CHECKING:
    from glassformer.translation import SearchConfig, Translator

EngineName = Literal["torch", "ctranslate2"]


def use_engine(
    name: EngineName, run: Path, translator: "Translator", config: "SearchConfig", given: SearchOptions
) -> "SearchConfig":
    """Hand the translator its engine; return how it will search.

    What a user asked for and the engine cannot do is refused. What the run itself asks for gives way, with a note.
    """
    if name == "torch":
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
