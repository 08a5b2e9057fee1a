"""The process of its own in which a learner's file is examined: `python -m glassformer.course.examiner`.

Reads one JSON object from stdin, writes JSON lines to the file descriptor it is given: {"ready"} once everything
heavy is loaded, then the verdict. What the learner's code may touch on the disk is this process's own scratch folder.
"""

import faulthandler
import json
import os
import sys
from typing import IO, Any

from glassformer.course.catalogue import find_stage
from glassformer.course.universe import Universe

FORBIDDEN = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "socket.connect", "socket.bind")
CHANGES = (
    "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.truncate", "os.link", "os.symlink", "os.chmod", "os.chown",
    "shutil.rmtree", "shutil.move",
)  # fmt: skip
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def main() -> None:
    """Examine what stdin describes."""
    task = json.load(sys.stdin)
    stage = find_stage(task["stage"])
    with os.fdopen(int(sys.argv[1]), "w", encoding="utf-8") as channel:
        if stage.torch:
            import torch

            torch.set_num_threads(1)
        from glassformer.course.examine import examine, stage_file

        stage_file(stage, "check")
        stage_file(stage, "mistakes")
        sources: dict[str, str] = task["sources"]
        universe = Universe(lambda other: sources.get(other.number) or other.read("solution.py"), task["names"])
        send(channel, {"ready": True})
        # Where it hangs, should it hang: the parent reads this after the time limit.
        faulthandler.dump_traceback_later(stage.seconds, file=sys.stderr)
        limit_memory(task["memory"])
        guard_files(os.getcwd())
        verdict = examine(stage, sources[stage.number], universe)
        faulthandler.cancel_dump_traceback_later()
        sys.stdout.flush()
        send(channel, verdict.to_json())
    os._exit(0)  # whatever the learner's code registered for the end


def send(channel: IO[str], message: dict[str, Any]) -> None:
    """Write one line and hand it over."""
    channel.write(json.dumps(message) + "\n")
    channel.flush()


def limit_memory(n_bytes: int) -> None:
    """Let runaway code meet a MemoryError rather than bring the machine down."""
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_DATA, (n_bytes, n_bytes))


def guard_files(scratch: str) -> None:
    """From now on refuse to change files outside `scratch`, to start programs and to use the network.

    A guard against accidents (a wrong path in a learner's clean-up), not against malice.
    """
    root = os.path.realpath(scratch) + os.sep

    def is_outside(path: object) -> bool:
        if isinstance(path, int):  # a descriptor that is open already
            return False
        return not (os.path.realpath(os.fsdecode(path)) + os.sep).startswith(root)  # type: ignore[arg-type]

    def opens_to_write(path: object, mode: object, flags: object) -> bool:
        return isinstance(flags, int) and bool(flags & WRITING) and path not in (None, os.devnull)

    def guard(event: str, arguments: tuple[Any, ...]) -> None:
        if event in FORBIDDEN:
            raise PermissionError(f"a stage's check does not let code do this: {event}")
        if event in CHANGES and any(is_outside(path) for path in arguments[: 2 if "rename" in event else 1]):
            raise PermissionError(f"a stage's check does not let code change files: {event} {arguments[0]!r}")
        if event == "open" and opens_to_write(*arguments) and is_outside(arguments[0]):
            raise PermissionError(f"a stage's check does not let code write files: {arguments[0]!r}")

    sys.addaudithook(guard)


if __name__ == "__main__":
    main()
