"""CTranslate2 as an engine: ids in, hypotheses out, by a run's model converted once. Needs the extra `interop`.

In float32 it finds what TorchEngine finds under the same SearchConfig, as far as CTranslate2 has such a search: the
power penalty, and stopping by count. What it lacks is refused, never replaced in silence. (It spreads the probability
of tokens that are never produced, pad and bos, over the others before it scores; a trained model gives them next to
none, so that only scores that are nearly equal can change places.)
"""

import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from glassformer.nn import ModelConfig, Transformer
from glassformer.run import Run, flush_to_disk, sync_folder
from glassformer.translation.config import SearchConfig
from glassformer.translation.engine import length_limit, marks_of
from glassformer.translation.search import Hypothesis

from .ctranslate2_model import CTranslate2Error, refuse_what_it_lacks, write_ctranslate2

CACHE = ".engines"  # inside a run; a dot, so that it is not taken for a part of the run
NO_PENALTY = 1e-7  # so small that it changes no score


class CTranslate2Engine:
    """Keeps the Engine protocol of translation/engine.py."""

    def __init__(self, folder: Path, config: ModelConfig, *, threads: int = 0, device: str = "cpu") -> None:
        """`folder` holds a model that `convert` wrote; `threads` 0: as many as CTranslate2 thinks best."""
        from ctranslate2 import Translator

        self.config = config
        self._translator: Any = Translator(str(folder), device=device, compute_type="float32", intra_threads=threads)

    def search(self, sources: Sequence[Sequence[int]], config: SearchConfig) -> list[list[Hypothesis]]:
        """For each source (its end token included) its `n_best` hypotheses, the best first. One batch."""
        refuse_search(config)
        limits = [length_limit(len(source), config, self.config) for source in sources]
        found: list[list[Hypothesis]] = [[] for _ in sources]
        # CTranslate2 has one limit for a batch. Whoever does not come near his own is not touched by a larger one.
        queue = {max(limits): list(range(len(sources)))} if sources else {}
        while queue:
            limit, places = queue.popitem()
            for place, hypotheses in zip(
                places, self._translate([sources[i] for i in places], limit, config), strict=True
            ):
                found[place] = hypotheses
                if limit > limits[place] and any(len(one.ids) >= limits[place] for one in hypotheses):
                    queue.setdefault(limits[place], []).append(place)
        return found

    def _translate(self, sources: list[Sequence[int]], limit: int, config: SearchConfig) -> list[list[Hypothesis]]:
        """One call. The model's tokens are numbers; it adds the end of a source by itself."""
        never = [[str(id)] for id in marks_of(self.config).never]
        results = self._translator.translate_batch(
            [[str(id) for id in source[:-1]] for source in sources],
            beam_size=config.beam_width,
            num_hypotheses=config.n_best,
            # At exactly 0 it would stop by another rule: at the first end of the best beam.
            length_penalty=max(config.alpha, NO_PENALTY),
            max_decoding_length=limit,
            min_decoding_length=0,
            suppress_sequences=never,
            return_end_token=True,
            return_scores=True,
            max_input_length=0,
        )
        return [
            [self._hypothesis(tokens, score, config) for tokens, score in zip(one.hypotheses, one.scores, strict=True)]
            for one in results
        ]

    def _hypothesis(self, tokens: Sequence[str], score: float, config: SearchConfig) -> Hypothesis:
        ids = [int(token) for token in tokens]
        logprob = score * len(ids) ** config.alpha
        return Hypothesis(ids, config.penalise(logprob, len(ids)), logprob)


def refuse_search(config: SearchConfig) -> None:
    """Raise if this is a search that CTranslate2 does not have."""
    if config.samples:
        raise CTranslate2Error("CTranslate2 draws other tokens than torch does from the same seed: use --engine torch")
    if config.min_length > 1:
        raise CTranslate2Error(
            "CTranslate2 spreads the probability of an end that comes too early over the other tokens, torch does not: "
            "leave out --min-length, or use --engine torch"
        )
    # The likeliest token each time is the same under every penalty.
    if config.beam_width == 1:
        return
    if config.penalty != "power":
        raise CTranslate2Error(
            f"CTranslate2 divides by tokens ** alpha only, and this search has the penalty {config.penalty!r}: "
            "use --penalty power, or --engine torch"
        )
    if config.stopping != "count":
        raise CTranslate2Error(
            f"CTranslate2 stops when as many hypotheses have ended as the beam is wide, and this search has stopping "
            f"{config.stopping!r}: use --stopping count, or --engine torch"
        )


def nearest_search(config: SearchConfig) -> SearchConfig:
    """The search of CTranslate2's that is most like this one; what is drawn at random stays as it is."""
    return config if config.samples else replace(config, penalty="power", stopping="count")


def open_engine(run: Run, model: Transformer, *, threads: int = 0) -> CTranslate2Engine:
    """The engine for a run's model, converted now unless that was done before."""
    import ctranslate2

    refuse_what_it_lacks(model.config)
    device = "cuda" if next(model.parameters()).is_cuda else "cpu"
    cached = cache_folder(run, ctranslate2.__version__)
    if cached is not None and (cached / "model.bin").is_file():
        return CTranslate2Engine(cached, model.config, threads=threads, device=device)
    try:
        if cached is not None:
            put_in_place(model, cached)
            return CTranslate2Engine(cached, model.config, threads=threads, device=device)
    except OSError:
        pass  # the run may only be read: then as below
    with tempfile.TemporaryDirectory(prefix="glassformer-") as folder:
        convert(model, Path(folder))
        return CTranslate2Engine(Path(folder), model.config, threads=threads, device=device)


def cache_folder(run: Run, version: str) -> Path | None:
    """Where the converted model of a run is kept, by what it was made from; nowhere for the model in the package."""
    if run.folder.resolve().is_relative_to(Path(str(files("glassformer"))).resolve()):
        return None
    made_from = sha256(json.dumps(["1", version]).encode())
    for path in (run.config_json, run.weights):
        with path.open("rb") as file:
            while block := file.read(2**20):
                made_from.update(block)
    return run.folder / CACHE / f"ctranslate2-{made_from.hexdigest()[:16]}"


def put_in_place(model: Transformer, folder: Path) -> None:
    """Convert aside, then rename: whoever finds the folder finds it whole. Older ones of this run are removed."""
    folder.parent.mkdir(exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=".part-", dir=folder.parent))
    try:
        convert(model, aside)
        for path in aside.iterdir():
            with path.open("rb") as file:
                flush_to_disk(file.fileno())
        try:
            aside.replace(folder)
        except OSError:
            if not (folder / "model.bin").is_file():  # else another process was faster
                raise
        sync_folder(folder.parent)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    for other in folder.parent.glob("ctranslate2-*"):
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)


def convert(model: Transformer, folder: Path) -> None:
    """Write the model with numbers for tokens, so that nothing can be lost between ids and pieces."""
    config = model.config
    source, target = ([str(id) for id in range(n)] for n in (config.vocab_size, config.n_target_tokens))
    write_ctranslate2(model, folder, source, target, unk=str(config.pad_id))
