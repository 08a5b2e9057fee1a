"""The README's Python runs, and the files it points to exist."""

import re
from pathlib import Path

import torch

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readmes_python_runs_and_gives_the_shapes_its_comments_state() -> None:
    (block,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(block, "README.md", "exec"), names)
    logits, weights = names["logits"], names["trace"].weights["decoder.0.cross"]
    assert isinstance(logits, torch.Tensor)
    for tensor, text in ((logits, "logits = model"), (weights, "trace.weights[")):
        stated = re.search(re.escape(text) + r".*?# \[(.*?)\]", block)
        assert stated is not None
        assert list(tensor.shape) == [int(size) for size in stated.group(1).split(",")]


def test_every_link_in_the_documents_leads_somewhere() -> None:
    for document in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        for target in re.findall(r"\]\(([^)#\s]+)", document.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (document.parent / target).exists(), f"{document.name} links to {target}"


def test_the_readmes_tree_names_every_file_of_nn() -> None:
    for path in (ROOT / "src" / "glassformer" / "nn").glob("*.py"):
        if path.stem != "__init__":
            assert re.search(rf"^    {path.name} ", README, flags=re.MULTILINE), path.name


def test_no_document_still_holds_a_placeholder() -> None:
    for document in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        assert not re.search(r"\b[A-Z]+_OUTPUT\b|TODO|FIXME|XXX", document.read_text(encoding="utf-8")), document.name
