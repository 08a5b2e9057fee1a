"""`make book`: the course, the guide and the reference as a site in build/book. Needs the extra `book`.

Lays out all pages as Markdown in build/book-pages first: docs/ as it is, the course's from its stages, two of the
reference from the source. Then Zensical sets them. Nothing is fetched, then or by whoever reads.
"""

import json
import shutil
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import reference

from glassformer.course import book

ROOT = Path(__file__).parent.parent
GUIDE = (
    "install",
    "first-translator",
    "your-own-data",
    "reading-nn",
    "resume-and-many-machines",
    "exploring",
    "serving",
    "engines",
)

Entry = dict[str, "str | list[Entry]"]


def main() -> None:
    """Build the site into build/book, or into the folder `book` of the folder that is named."""
    build = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build"
    lay_out(build / "book-pages")
    set_pages(build / "book-pages")
    print(f"The book is in {build / 'book'}: open {build / 'book' / 'index.html'}")


def lay_out(folder: Path) -> None:
    """Write every page and the settings."""
    if folder.exists():
        shutil.rmtree(folder)
    pages = folder / "pages"
    here = ROOT / "book"
    shutil.copytree(ROOT / "docs", pages)
    shutil.copytree(here / "vendored", pages / "vendored", ignore=shutil.ignore_patterns("README.md"))
    for name in ("index.md", "book.css", "book.js"):
        shutil.copy(here / name, pages / name)
    written = {"course/index.md": book.contents(), "reference/commands.md": reference.commands()}
    written["reference/settings.md"] = reference.settings()
    written |= {f"course/{book.page_name(stage)}": book.page(stage) for stage in book.written_stages()}
    for name, text in written.items():
        (pages / name).parent.mkdir(exist_ok=True)
        (pages / name).write_text(text, encoding="utf-8")
    settings = (here / "zensical.toml").read_text(encoding="utf-8")
    (folder / "zensical.toml").write_text(settings.replace('"NAVIGATION"', to_toml(navigation())), encoding="utf-8")


def navigation() -> list[Entry]:
    """What stands where in the margin."""
    course: list[Entry] = [{"The course": "course/index.md"}]
    for chapter, group in groupby(book.written_stages(), key=lambda stage: stage.chapter):
        pages: list[Entry] = [{f"{stage.number} {stage.title}": f"course/{book.page_name(stage)}"} for stage in group]
        course.append({chapter[0].upper() + chapter[1:]: pages})
    guide: list[Entry] = [{title_of(ROOT / f"docs/guide/{name}.md"): f"guide/{name}.md"} for name in GUIDE]
    built = ("translation-json", "architecture", "departures", "results")
    facts: list[Entry] = [{"Commands": "reference/commands.md"}, {"Settings": "reference/settings.md"}]
    facts += [{title_of(ROOT / f"docs/{name}.md"): f"{name}.md"} for name in built]
    return [{"Home": "index.md"}, {"Guide": guide}, {"Course": course}, {"Reference": facts}]


def title_of(path: Path) -> str:
    """A page's first heading."""
    return path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def to_toml(entries: list[Entry]) -> str:
    """The navigation as TOML."""
    parts = []
    for entry in entries:
        ((title, target),) = entry.items()
        value = json.dumps(target) if isinstance(target, str) else to_toml(target)
        parts.append(f"{{ {json.dumps(title, ensure_ascii=False)} = {value} }}")
    return f"[{', '.join(parts)}]"


def set_pages(folder: Path) -> None:
    """Let Zensical make the site; a page or a link that it cannot find ends it."""
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict", "--config-file", "zensical.toml"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"Zensical could not build the book:\n{done.stdout}{done.stderr}")
    site = folder.parent / "book"
    if site.exists():
        shutil.rmtree(site)
    (folder / "site").rename(site)


if __name__ == "__main__":
    main()
