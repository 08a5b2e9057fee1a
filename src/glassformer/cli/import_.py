"""`glassformer import`: a Marian / OPUS-MT model becomes a run. Reading it is interop/marian_folder.py's."""

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from glassformer.interop.marian_folder import MarianModel


def import_(
    model: str,
    /,
    *,
    out: Path,
    src_lang: str | None = None,
    tgt_lang: str | None = None,
    prefix: str = "",
) -> None:
    """Turn a Marian / OPUS-MT model into a run that every other command can use.

    Translate, evaluate, serve and export then work on it. Weights, vocabulary and the settings of its search are taken
    over; it translates what transformers translates with it.

    Parameters
    ----------
    model
        The model's folder, or its name on the Hugging Face Hub, such as Helsinki-NLP/opus-mt-en-hi.
    out
        The run folder to make.
    src_lang
        The source language's code. Without it, what the model's files or its name say.
    tgt_lang
        The target language's code. Without it, what the model's files or its name say.
    prefix
        Of a model that translates into several languages: put this token, such as ">>hin<<", before each text that has
        none.
    """
    from glassformer.run import RunError

    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise RunError(f"{out} is there already, and not an empty folder: choose another --out, or remove it")
    from glassformer.interop.hub import fetch
    from glassformer.interop.marian_folder import Languages, read_marian_folder

    folder = Path(model) if Path(model).exists() or not is_hub_name(model) else fetch(model)
    # The name on the hub says the languages; the folder it was fetched into does not.
    named = Languages(src_lang or code_in(model, 1), tgt_lang or code_in(model, 2), prefix)
    found = read_marian_folder(folder, named)
    write_run(out, found, Path(model).name)
    describe(out, found)


def is_hub_name(model: str) -> bool:
    """Whether this may be OWNER/NAME on the hub rather than a path."""
    import re

    return re.fullmatch(r"[\w-][\w.-]*/[\w-][\w.-]*", model) is not None


def code_in(model: str, place: int) -> str | None:
    """The source (1) or target (2) language in a name on the hub such as Helsinki-NLP/opus-mt-en-hi."""
    import re

    named = None if Path(model).exists() else re.search(r"-([a-z]{2,3})-([a-z]{2,3})$", model)
    return named[place] if named else None


def write_run(out: Path, found: "MarianModel", name: str) -> None:
    """Write the run folder, whole or not at all: aside first, then under its name."""
    from dataclasses import asdict

    from glassformer.run import Run, write_json, write_text
    from glassformer.training.publish import machine_facts, publish_model

    aside = Run(out.with_name(f".{out.name}.part"))
    shutil.rmtree(aside.folder, ignore_errors=True)
    try:
        aside.folder.mkdir(parents=True)
        publish_model(aside, found.model, found.tokenizer, asdict(found.search))
        text = found.tokenizer.config
        languages = {"src": text.src_lang, "tgt": text.tgt_lang}
        record: dict[str, Any] = {"version": 1, **machine_facts(), "imported_from": name, "languages": languages}
        write_json(aside.run_json, {**record, "scores": []})
        write_text(aside.card, card(found, name))
        if out.exists():
            out.rmdir()
        aside.folder.replace(out)
    finally:
        shutil.rmtree(aside.folder, ignore_errors=True)


def card(found: "MarianModel", name: str) -> str:
    """The model card of an imported model: what it is, and where to read the rest."""
    text, config = found.tokenizer.config, found.model.config
    n_parameters = sum(parameter.numel() for parameter in found.model.parameters())
    return f"""---
language: [{text.src_lang}, {text.tgt_lang}]
library_name: glassformer
pipeline_tag: translation
---

# {name}, imported

A Marian model that translates {text.src_lang} into {text.tgt_lang}, imported into glassformer with its own vocabulary.
Its data, its scores and its licence are those of {name}: see there.

```
glassformer translate path/to/{name} "..."
```

- {n_parameters:,} parameters: {config.n_encoder_layers} encoder and {config.n_decoder_layers} decoder layers, d_model \
{config.d_model}, {config.n_heads} heads, d_ff {config.d_ff}
- {config.vocab_size} source tokens, {config.n_target_tokens} target tokens
"""


def describe(out: Path, found: "MarianModel") -> None:
    """Say what was imported, and what a user must know to use it."""
    from glassformer.text.marian_tokenizer import describe_codes

    text, search = found.tokenizer.config, found.search
    n_parameters = sum(parameter.numel() for parameter in found.model.parameters())
    print(f"{text.src_lang}-{text.tgt_lang}, {n_parameters:,} parameters, beam {search.beam_width}, in {out}")
    if "und" in (text.src_lang, text.tgt_lang):
        print("note: the files do not say the languages: import with --src-lang and --tgt-lang", file=sys.stderr)
    codes = found.tokenizer.language_codes()
    if codes and not found.tokenizer.prefix:
        print(
            f"note: this model must be told the language to translate into, at the start of each text; "
            f"{describe_codes(codes)}. Or import it with --prefix '{codes[0]}'",
            file=sys.stderr,
        )
