"""`glassformer single-file`: join the modules of `glassformer.nn` into one file that needs only torch.

Works on the text, so that every comment survives, and imports neither torch nor the model. What it cannot join
faithfully it refuses.
"""

import ast
import builtins
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files

from glassformer import __version__
from glassformer.errors import SingleFileError

# The order of nn/__init__.py. A module that another one needs is moved up before it.
READING_ORDER = (
    "config",
    "masks",
    "dropout",
    "dot_product",
    "multi_head",
    "embedding",
    "positions",
    "feedforward",
    "norm",
    "cache",
    "trace",
    "layers",
    "transformer",
)

HEADER = """\
# Made by `glassformer single-file` from the modules of glassformer.nn, version {version}. Yours to change.
# Copyright 2026 the glassformer authors. Licensed under the Apache License, Version 2.0:
# http://www.apache.org/licenses/LICENSE-2.0
"""

FOOTER = """\
if __name__ == "__main__":
    config = ModelConfig(vocab_size=1000, d_model=64, n_heads=4, d_ff=256, n_encoder_layers=2, n_decoder_layers=2)
    model = Transformer(config)
    src = torch.tensor([[5, 6, 7, 8, config.eos_id]])  # [B, S]
    tgt_in = torch.tensor([[config.decoder_start_id, 9, 10]])  # [B, T]
    logits = model(src, tgt_in)  # [B, T, V]
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters, logits of shape {list(logits.shape)}")
"""

RULE = "# " + "-" * 118


def single_file() -> None:
    """Print the whole model as one Python file that needs only torch.

    Use it as `glassformer single-file > transformer.py`. The file has the same classes with the same parameter names,
    so weights fit both ways; `python transformer.py` builds a small model.
    """
    folder = files("glassformer") / "nn"
    sources = {
        entry.name.removesuffix(".py"): entry.read_text(encoding="utf-8")
        for entry in folder.iterdir()
        if entry.name.endswith(".py")
    }
    # Bytes, because the file is UTF-8 whatever the terminal is.
    sys.stdout.buffer.write(join_modules(sources, READING_ORDER).encode())


def join_modules(sources: Mapping[str, str], order: Iterable[str]) -> str:
    """Join modules, given as name -> text, into the text of one. `__init__` gives its docstring and nothing else."""
    trees = {name: ast.parse(text, filename=f"nn/{name}.py") for name, text in sources.items()}
    overview = ast.get_docstring(trees.pop("__init__"), clean=False) or ""
    order = definition_order(trees, order)
    refuse_what_cannot_be_joined(trees, order)
    sections = [section(name, sources[name], trees[name]) for name in order]
    opening = f'"""{overview}"""\n\n{HEADER.format(version=__version__)}\n{merge_imports(trees.values())}'
    return f"{opening}\n" + "\n\n".join([*sections, FOOTER])


def definition_order(trees: Mapping[str, ast.Module], order: Iterable[str]) -> list[str]:
    """Return the modules in this order, except that each comes after the modules it imports from."""
    order = list(order)
    unlisted, gone = sorted(set(trees) - set(order)), sorted(set(order) - set(trees))
    if unlisted or gone:
        raise SingleFileError(
            f"nn/ and READING_ORDER in cli/single_file.py differ: not in the order: {', '.join(unlisted) or 'none'}; "
            f"not in nn/: {', '.join(gone) or 'none'}. Make the order name every module of nn/ once"
        )
    placed: list[str] = []

    def place(name: str, needed_by: tuple[str, ...]) -> None:
        if name in needed_by:
            raise SingleFileError(f"nn/ modules import each other in a circle: {' -> '.join([*needed_by, name])}")
        if name in placed:
            return
        for node in trees[name].body:
            if isinstance(node, ast.ImportFrom) and node.level and (sibling := node.module or "") in trees:
                place(sibling, (*needed_by, name))
        placed.append(name)

    for name in order:
        place(name, ())
    return placed


def refuse_what_cannot_be_joined(trees: Mapping[str, ast.Module], order: Iterable[str]) -> None:
    """Raise if a name would mean two things in the joined file, or a sibling is imported in a way that would break."""
    owners = {name: f"the builtin {name}" for name in dir(builtins)}
    for name in order:
        top_level = set(map(id, trees[name].body))
        for node in ast.walk(trees[name]):
            if isinstance(node, ast.ImportFrom) and node.level:
                renames = any(alias.asname not in (None, alias.name) for alias in node.names)
                if id(node) not in top_level or node.module is None or renames:
                    raise SingleFileError(
                        f"nn/{name}.py, line {node.lineno}: {ast.unparse(node)!r} would mean nothing in a single file. "
                        "Import names from a sibling module as they are, at the top of the file"
                    )
        for bound, meaning in bound_names(name, trees[name].body):
            if owners.setdefault(bound, meaning) != meaning:
                raise SingleFileError(
                    f"in a single file {bound!r} would mean both {owners[bound]} and {meaning}: rename one of them"
                )


def bound_names(module: str, statements: Iterable[ast.stmt]) -> Iterator[tuple[str, str]]:
    """Yield each name that a module gives a meaning at its top level, and that meaning."""
    for node in statements:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, f"{name} of nn/{module}.py"
            case ast.Import(names=aliases):
                yield from ((alias.asname or alias.name.partition(".")[0], alias.name) for alias in aliases)
            case ast.ImportFrom(level=0, module=source, names=aliases):
                yield from ((alias.asname or alias.name, f"{source}.{alias.name}") for alias in aliases)
            case ast.Assign() | ast.AnnAssign():
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in (part for whole in targets for part in ast.walk(whole) if isinstance(part, ast.Name)):
                    yield target.id, f"{target.id} of nn/{module}.py"
            case _:
                yield from bound_names(
                    module, (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt))
                )


def section(name: str, source: str, tree: ast.Module) -> str:
    """Return a module without its docstring and imports, below a banner that says what its docstring said."""
    said = (ast.get_docstring(tree) or "").splitlines()
    banner = [RULE, *(f"# {line}".rstrip() for line in [f"{name}.py", "", *said]), RULE]
    lines = source.splitlines()
    for node in tree.body:
        is_docstring = node is tree.body[0] and ast.get_docstring(tree) is not None
        if is_docstring or isinstance(node, ast.Import | ast.ImportFrom):
            first, last = node.lineno - 1, node.end_lineno or node.lineno
            lines[first:last] = [""] * (last - first)
    # What went stood at the top: the blank lines it leaves are all before the first line of code.
    body = "\n".join(lines).strip("\n")
    return "\n".join(banner) + f"\n\n\n{body}\n"


def merge_imports(trees: Iterable[ast.Module]) -> str:
    """Return one block of the imports of all modules, without those among them, in the order that ruff wants."""
    plain: set[str] = set()
    named: dict[str, set[str]] = {}
    for node in (node for tree in trees for node in tree.body):
        if isinstance(node, ast.Import):
            plain.update(ast.unparse(alias) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            named.setdefault(node.module or "", set()).update(ast.unparse(alias) for alias in node.names)
    blocks = []
    for ours in (True, False):
        lines = [f"import {name}" for name in sorted(plain) if is_standard(name) is ours]
        for module in sorted(module for module in named if is_standard(module) is ours):
            lines.append(import_line(module, sorted(named[module], key=by_kind)))
        blocks.append("\n".join(lines))
    return "\n\n".join(block for block in blocks if block) + "\n"


def is_standard(module: str) -> bool:
    """Say whether a module belongs to Python itself."""
    return module.partition(".")[0].partition(" ")[0] in sys.stdlib_module_names


def by_kind(name: str) -> tuple[bool, bool, str]:
    """Sort CONSTANTS before Classes before functions."""
    return not name.isupper(), not name[0].isupper(), name


def import_line(module: str, names: list[str]) -> str:
    """Return one import statement, broken into lines if it is too long for one."""
    line = f"from {module} import {', '.join(names)}"
    return (
        line if len(line) <= 120 else "\n".join([f"from {module} import (", *(f"    {name}," for name in names), ")"])
    )
