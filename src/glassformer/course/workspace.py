"""The learner's folder: a file a stage, progress in one text file, other names in the adapter file.

Nothing a learner wrote is ever lost: what would be overwritten is copied into `kept/` first.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from glassformer.course.catalogue import Stage, stages
from glassformer.errors import CourseError
from glassformer.run import write_text

PROGRESS = "progress.txt"
ADAPTER = "adapter.toml"
KEPT = "kept"
ADAPTER_TEXT = """\
# If you like other names than the stubs' better, say so here, and the checks will find them. For example:
#
#   attention = "my_attention"
#   MultiHeadAttention = "Heads"
#   "MultiHeadAttention.query" = "w_q"
"""
PROGRESS_TEXT = """\
# What you have done, a line a stage: NUMBER passed | skipped | hints N; and `next NUMBER` after a jump.
# Yours to read and to change.
"""


@dataclass
class Progress:
    """What a learner has done of one stage."""

    passed: bool = False
    skipped: bool = False
    hints: int = 0

    @property
    def open(self) -> bool:
        """Whether it is still to be done."""
        return not (self.passed or self.skipped)


class Workspace:
    """One learner's folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def start(cls, folder: Path) -> "Workspace":
        """Lay the folder out; what stands there already is left alone, so that starting twice does no harm."""
        if folder.exists() and not folder.is_dir():
            raise CourseError(f"{folder} is a file; name a folder for the course to be laid out in")
        if folder.is_dir() and any(folder.iterdir()) and not (folder / PROGRESS).exists():
            raise CourseError(f"{folder} has other things in it; name a folder that is empty or not there yet")
        folder.mkdir(parents=True, exist_ok=True)
        texts = {PROGRESS: PROGRESS_TEXT, ADAPTER: ADAPTER_TEXT, "README.md": readme()}
        texts |= {f"{stage.module}.py": stage.read("stub.py") for stage in stages()}
        for name, text in texts.items():
            if not (folder / name).exists():
                (folder / name).write_text(text, encoding="utf-8")
        return cls(folder)

    @classmethod
    def find(cls, near: Path) -> "Workspace":
        """The workspace that `near` is in, or the only one below it."""
        for folder in (near, *near.parents):
            if (folder / PROGRESS).is_file() and (folder / ADAPTER).is_file():
                return cls(folder)
        below = [path.parent for path in near.glob(f"*/{PROGRESS}") if (path.parent / ADAPTER).is_file()]
        if len(below) == 1:
            return cls(below[0])
        if below:
            names = ", ".join(path.name for path in sorted(below))
            raise CourseError(f"there are several course folders here ({names}): go into one of them")
        raise CourseError("there is no course folder here: make one with `glassformer course start my-transformer`")

    def path(self, stage: Stage) -> Path:
        """The learner's file of a stage."""
        return self.folder / f"{stage.module}.py"

    def read(self, stage: Stage) -> str:
        """What the learner wrote."""
        path = self.path(stage)
        try:
            return path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise CourseError(
                f"{path} is not there; `glassformer course reset {stage.number}` lays the stub out again"
            ) from None
        except UnicodeDecodeError:
            raise CourseError(f"{path} is not UTF-8 text: save it as UTF-8") from None

    def names(self) -> dict[str, str]:
        """The learner's own names, from the adapter file."""
        path = self.folder / ADAPTER
        try:
            names = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise CourseError(f"{path} cannot be read: {error}") from None
        for stub, own in names.items():
            if not isinstance(own, str) or not own.isidentifier():
                raise CourseError(f'{path}: {stub} = {own!r}; write the name of yours in quotes: "{stub}" = "my_name"')
        return names

    def progress(self) -> dict[str, Progress]:
        """By stage number. Lines that mean nothing are said to be wrong, not passed over."""
        found = {stage.number: Progress() for stage in stages()}
        for place, line in self._progress_lines():
            match line.split():
                case [number, "passed"] if number in found:
                    found[number].passed = True
                case [number, "skipped"] if number in found:
                    found[number].skipped = True
                case [number, "hints", count] if number in found and count.isdecimal():
                    found[number].hints = int(count)
                case ["next", number] if number in found:
                    pass
                case _:
                    raise CourseError(
                        f"{self.folder / PROGRESS} line {place} is {line!r}; it should be a stage's number and "
                        '"passed", "skipped" or "hints N", or "next" and a number: mend or delete the line'
                    )
        return found

    def _progress_lines(self) -> Iterator[tuple[int, str]]:
        try:
            text = (self.folder / PROGRESS).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise CourseError(f"{self.folder / PROGRESS} is not UTF-8 text: delete it to begin anew") from None
        for place, line in enumerate(text.splitlines(), 1):
            if line.strip() and not line.startswith("#"):
                yield place, line

    def note(
        self, stage: Stage, *, passed: bool | None = None, skipped: bool | None = None, hints: int | None = None
    ) -> None:
        """Write down what has changed about a stage."""
        progress = self.progress()
        entry = progress[stage.number]
        entry.passed = entry.passed if passed is None else passed
        entry.skipped = entry.skipped if skipped is None else skipped
        entry.hints = entry.hints if hints is None else hints
        lines = []
        for number, done in progress.items():
            lines += [f"{number} passed"] if done.passed else [f"{number} skipped"] if done.skipped else []
            lines += [f"{number} hints {done.hints}"] if done.hints else []
        jumped_to = self._jumped_to()
        done_now = jumped_to == stage.number and (passed or skipped)
        if jumped_to is not None and not done_now:
            lines.append(f"next {jumped_to}")
        write_text(self.folder / PROGRESS, PROGRESS_TEXT + "".join(f"{line}\n" for line in lines))

    def jump(self, stage: Stage) -> None:
        """Make this stage the next one, until it is passed or skipped."""
        lines = [line for _, line in self._progress_lines() if not line.startswith("next ")]
        text = "".join(f"{line}\n" for line in [*lines, f"next {stage.number}"])
        write_text(self.folder / PROGRESS, PROGRESS_TEXT + text)

    def next_stage(self) -> Stage | None:
        """The one jumped to; else the first that is neither passed nor skipped; None when all is done."""
        progress = self.progress()
        jumped_to = self._jumped_to()
        if jumped_to is not None:
            return next(stage for stage in stages() if stage.number == jumped_to)
        return next((stage for stage in stages() if progress[stage.number].open), None)

    def _jumped_to(self) -> str | None:
        return next((line.split()[1] for _, line in self._progress_lines() if line.startswith("next ")), None)

    def reset(self, stage: Stage) -> Path | None:
        """Put the stub back; return where the learner's own text was kept, if there was any."""
        kept = self.keep(stage)
        write_text(self.path(stage), stage.read("stub.py"))
        self.note(stage, passed=False, skipped=False)
        return kept

    def keep(self, stage: Stage) -> Path | None:
        """Copy the learner's file into kept/, under a number that is free."""
        path = self.path(stage)
        if not path.exists() or path.read_bytes() == stage.read("stub.py").encode():
            return None
        (self.folder / KEPT).mkdir(exist_ok=True)
        copies = (self.folder / KEPT / f"{stage.module}.{number}.py" for number in range(1, 10**6))
        copy = next(copy for copy in copies if not copy.exists())
        copy.write_bytes(path.read_bytes())
        return copy

    def own_sources(self, stage: Stage) -> dict[str, str]:
        """The learner's files by number: the one to be checked, and those that passed; solutions stand in elsewhere."""
        progress = self.progress()
        passed = [other for other in stages() if progress[other.number].passed and self.path(other).exists()]
        return {other.number: self.read(other) for other in [*passed, stage]}


def readme() -> str:
    """What a learner finds in the folder."""
    lines = ["# My Transformer", "", "Built stage by stage with `glassformer course`. In this folder:", ""]
    lines += ["    glassformer course            where I am, and what is next"]
    lines += ["    glassformer course lesson     read the next stage's lesson"]
    lines += ["    glassformer course check      check what I wrote (--watch: whenever I save)"]
    lines += ["    glassformer course hint       one hint, then a second, then a third"]
    lines += ["    glassformer course solution   after passing; or before, with --reveal"]
    lines += [
        "",
        "Write where a file says `# Your code here`. Later stages import earlier ones: until you have passed a",
    ]
    lines += ["stage, the course's own solution stands in for it, so any order works.", ""]
    lines += ["| file | stage |", "|---|---|"]
    lines += [f"| `{stage.module}.py` | {stage.title} |" for stage in stages()]
    return "\n".join(lines) + "\n"
