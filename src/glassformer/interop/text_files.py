"""What another program needs to cut text into tokens as a run does: spm files and tables of ids, as Marian has them."""

import json
from pathlib import Path

from glassformer.nn import ModelConfig
from glassformer.text.marian_tokenizer import MarianTokenizer, describe_codes
from glassformer.text.tokenizer import Tokenizer

EXAMPLE = "Bark is very cute."


def write_text_files(tokenizer: Tokenizer, folder: Path) -> None:
    """Write source.spm, target.spm, vocab.json and, where the target has a vocabulary of its own, target_vocab.json."""
    for name, model in zip(("source.spm", "target.spm"), tokenizer.sentencepiece_models, strict=True):
        (folder / name).write_bytes(model)
    write_table(folder / "vocab.json", source_tokens(tokenizer))
    if tokenizer.tgt_vocab_size is not None:
        write_table(folder / "target_vocab.json", target_tokens(tokenizer))


def source_tokens(tokenizer: Tokenizer) -> list[str]:
    """The source tokens, in the order of their ids."""
    return tokenizer.source_pieces(range(tokenizer.vocab_size))


def target_tokens(tokenizer: Tokenizer) -> list[str]:
    """The target tokens, in the order of their ids."""
    return tokenizer.target_pieces(range(tokenizer.tgt_vocab_size or tokenizer.vocab_size))


def write_table(path: Path, tokens: list[str]) -> None:
    """Write each token with its id."""
    table = {token: id for id, token in enumerate(tokens)}
    path.write_text(json.dumps(table, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


def what_to_do_first(tokenizer: Tokenizer) -> str:
    """How a source text must be changed before its pieces are cut, in words for a README."""
    if isinstance(tokenizer, MarianTokenizer):
        codes = tokenizer.language_codes()
        return (
            f"Begin each text with the token of its language: {describe_codes(codes)}."
            if codes
            else "Any text will do."
        )
    lower = "in lower case, " if tokenizer.config.lowercase_source else ""
    return f"Give text {lower}in Unicode's NFC with single spaces, as `glassformer.text.normalise` makes it."


def lead(tokenizer: Tokenizer) -> list[str]:
    """The tokens that stand before every source text, such as `>>hin<<`."""
    return tokenizer.source_pieces(tokenizer.lead_of(tokenizer.encode_source("a")))


def example(tokenizer: Tokenizer) -> str:
    """A text to try, as it has to be given."""
    return tokenizer.source_text(EXAMPLE)[-len(EXAMPLE) :]


def write_ids(config: ModelConfig, path: Path) -> None:
    """Write the ids that a search must know."""
    names = ("pad_id", "eos_id", "decoder_start_id", "max_length")
    ids = {name: getattr(config, name) for name in names}
    never = sorted({config.pad_id, config.bos_id, config.decoder_start_id} - {config.eos_id})
    path.write_text(json.dumps({**ids, "never": never}, indent=2) + "\n", encoding="utf-8")
