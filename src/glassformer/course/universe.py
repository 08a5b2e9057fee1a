"""Source text becomes a subject to be examined: the learner's code, a solution, or a solution with a mistake in it.

Later stages import earlier ones (`from s07_many_heads import MultiHeadAttention`). Such an import is answered here, by
the universe that the importing text belongs to: a learner's stage gets the learner's earlier stages, a solution gets
solutions. Nothing of this touches sys.path or sys.modules.
"""

import builtins
import linecache
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

from glassformer.course.catalogue import Stage, stage_of_module


def file_name(stage: Stage) -> str:
    """What a stage's file is called in tracebacks."""
    return f"<{stage.module}.py>"


class MissingPart(Exception):
    """The subject lacks a function, a class or an attribute that the check asks for."""


class Universe:
    """Stages that import one another, each from the source that `source_of` gives for it."""

    def __init__(self, source_of: Callable[[Stage], str], names: Mapping[str, str] | None = None) -> None:
        self._source_of = source_of
        self._names = names or {}
        self._modules: dict[str, ModuleType] = {}

    def load(self, stage: Stage, source: str | None = None) -> "Subject":
        """Run a stage's source, or the one given, and return what it defines."""
        text = self._source_of(stage) if source is None else source
        module = ModuleType(stage.module)
        module.__file__ = file_name(stage)
        # Own builtins with an import of our own: the functions defined there import through it too, whenever they run.
        module.__dict__["__builtins__"] = vars(builtins) | {"__import__": self._import}
        # So that a traceback and inspect.getsource show the lines.
        linecache.cache[module.__file__] = (len(text), None, text.splitlines(keepends=True), module.__file__)
        exec(compile(text, module.__file__, "exec"), module.__dict__)
        # Later stages import by the stub's names, whatever the learner calls their own.
        for stub, own in self._names.items():
            if hasattr(module, own) and not hasattr(module, stub):
                setattr(module, stub, getattr(module, own))
        return Subject(module, self._names)

    def _import(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        stage = stage_of_module(name)
        if stage is None:
            return builtins.__import__(name, globals, locals, fromlist or (), level)
        if name not in self._modules:
            self._modules[name] = self.load(stage).module
        return self._modules[name]


class Subject:
    """What a check examines: parts by the names that the stub gave them, or by those that the adapter file says."""

    def __init__(self, module: ModuleType, names: Mapping[str, str] | None = None) -> None:
        self.module = module
        self._names = names or {}

    def part(self, name: str) -> Any:
        """The subject's function or class of this name; MissingPart where it has none."""
        own = self._names.get(name, name)
        if not hasattr(self.module, own):
            own = name  # the adapter file speaks of all stages, and this one may have kept the stub's name
        if not hasattr(self.module, own):
            raise MissingPart(
                f'your file defines no `{own}`. Keep the stub\'s name, or say yours in adapter.toml: {name} = "..."'
            )
        return getattr(self.module, own)

    def inside(self, holder: object, name: str) -> Any:
        """An attribute of something the subject made: inside(layer, "query"). Renamed as "ClassName.query"."""
        kind = type(holder).__name__
        stub_kind = next((stub for stub, own in self._names.items() if own == kind), kind)
        own = self._names.get(f"{stub_kind}.{name}", name)
        if not hasattr(holder, own):
            own = name
        if not hasattr(holder, own):
            raise MissingPart(
                f"your {kind} has no attribute `{own}`. Keep the stub's name, or say yours in adapter.toml: "
                f'"{stub_kind}.{name}" = "..."'
            )
        return getattr(holder, own)
