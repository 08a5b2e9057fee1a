"""Observations become a verdict. Runs the subject's code in this very process: see runner.py for one of its own.

A known mistake is recognised by doing it: the solution with the mistake in it is looked at in the same way as the
learner's code, and where both give the same first wrong answer, that is what the learner did.
"""

import importlib.util
import re
import traceback
from functools import cache
from types import ModuleType

from glassformer.course.catalogue import Stage
from glassformer.course.mistakes import Mistake
from glassformer.course.observation import Observation, Raised, first_difference, is_tensor, same, show
from glassformer.course.universe import MissingPart, Subject, Universe, file_name
from glassformer.course.verdict import Picture, Verdict

STUB_MARK = "# Your code here"
STAGE_FILE = re.compile(r"<s\d\d_\w+\.py>")


def examine(stage: Stage, source: str, universe: Universe) -> Verdict:
    """Check one source text as a solution of this stage."""
    try:
        subject = universe.load(stage, source)
    except SyntaxError as error:
        return verdict_of_syntax(error, stage)
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        found = raised(error, stage)
        return Verdict(passed=False, message=f"Your file does not run: {found}", details=happened(found))
    seen = look(stage, subject)
    wrong = next((number for number, observation in enumerate(seen) if not observation.right), None)
    if wrong is None:
        return Verdict(
            passed=True, message=f"{len(seen)} things looked at, all right", looked_at=[s.about for s in seen]
        )
    return verdict_of_wrong(stage, seen, wrong, source)


def look(stage: Stage, subject: Subject) -> list[Observation]:
    """Everything the stage's check sees of the subject; an error ends it, and is the last thing seen."""
    seen: list[Observation] = []
    try:
        for observation in stage_file(stage, "check").observe(subject):
            seen.append(observation)
    except MissingPart as error:
        seen.append(
            Observation("the parts that your file should have", Raised("MissingPart", str(error)), "all of them")
        )
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        seen.append(Observation("your code at work", raised(error, stage), "no error"))
    return seen


@cache
def stage_file(stage: Stage, name: str) -> ModuleType:
    """A Python file of the stage's folder as a module: its check, its mistakes, its figures."""
    spec = importlib.util.spec_from_file_location(
        f"{__package__}.stages.{stage.module}.{name}", stage.folder / f"{name}.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def solutions() -> Universe:
    """The universe in which every stage is solved."""
    return Universe(lambda stage: stage.read("solution.py"))


def known_mistakes(stage: Stage) -> list[Mistake]:
    """The mistakes that this stage's check recognises."""
    mistakes: list[Mistake] = stage_file(stage, "mistakes").MISTAKES
    return mistakes


def recognise(stage: Stage, seen: list[Observation], wrong: int) -> Mistake | None:
    """The known mistake that gives the same first wrong answer; of several, the one that agrees longest.

    Several equal numbers are no accident. A shape, a yes or an error can have many reasons: there, everything that was
    seen must agree.
    """
    best: tuple[int, Mistake | None] = (0, None)
    for mistake, theirs in zip(known_mistakes(stage), looks_of_mistakes(stage), strict=True):
        agreement = agree(seen, theirs)
        needed = wrong + 1 if says_much(seen[wrong].got) else max(len(seen), len(theirs))
        if agreement >= needed and agreement > best[0]:
            best = (agreement, mistake)
    return best[1]


def says_much(got: object) -> bool:
    """Whether an answer has so many numbers that two wrong codes would hardly give the same by accident."""
    return is_tensor(got) and got.is_floating_point() and got.numel() > 2  # type: ignore[attr-defined]


@cache
def looks_of_mistakes(stage: Stage) -> list[list[Observation]]:
    """What the check sees of each known mistake: always the same, as every check starts its own random numbers."""
    solution = stage.read("solution.py")
    return [look(stage, solutions().load(stage, mistake.commit(solution))) for mistake in known_mistakes(stage)]


def agree(a: list[Observation], b: list[Observation]) -> int:
    """How many observations from the first on are the same in both."""
    for number, (x, y) in enumerate(zip(a, b, strict=False)):
        if not same(x.got, y.got, x.tolerance):
            return number
    return min(len(a), len(b))


def verdict_of_wrong(stage: Stage, seen: list[Observation], wrong: int, source: str) -> Verdict:
    """Say what is wrong: the mistake where it is known, the numbers always."""
    observation = seen[wrong]
    right_so_far = [s.about for s in seen[:wrong]]
    if isinstance(observation.got, Raised) and observation.got.kind == "NotImplementedError":
        where = f" {observation.got.where} still raises NotImplementedError." if observation.got.where else ""
        begin = "" if right_so_far else f" {stage.begin}"
        return Verdict(passed=False, message=f"Not written yet:{where}{begin}", looked_at=right_so_far)
    mistake = recognise(stage, seen, wrong)
    details = describe(observation)
    if mistake is not None:
        return Verdict(
            passed=False, message=mistake.says, mistake=mistake.name, details=details,
            picture=draw(observation), looked_at=right_so_far,
        )  # fmt: skip
    if isinstance(observation.got, Raised) and observation.got.kind == "MissingPart":
        message = observation.got.text[0].upper() + observation.got.text[1:]
        return Verdict(passed=False, message=message, looked_at=right_so_far)
    if isinstance(observation.got, Raised):
        message = "Your code stopped with an error while we looked at it."
    else:
        message = f"Wrong: {observation.about}." + (f" {observation.note}" if observation.note else "")
    return Verdict(passed=False, message=message, details=details, picture=draw(observation), looked_at=right_so_far)


def describe(observation: Observation) -> list[str]:
    """The numbers: what came out, what was wanted, where they part."""
    got = observation.got
    if isinstance(got, Raised):
        return [f"It raised {got}.", *happened(got)]
    if got is None and observation.wanted is not None:
        return ["It returned None: is there a `return` at its end?"]
    if is_tensor(observation.wanted) and not is_tensor(got):
        return [f"It gave {show(got)}, of type {type(got).__name__}; a tensor was wanted."]
    lines = [f"Looked at: {observation.about}.", f"Came out: {show(got)}", f"Wanted:   {show(observation.wanted)}"]
    difference = first_difference(got, observation.wanted, observation.tolerance)
    return [*lines, difference[0].upper() + difference[1:] + "."] if difference else lines


def happened(error: Raised) -> list[str]:
    """Where it happened, if that is known."""
    return [f"It happened in {error.where}."] if error.where else []


def draw(observation: Observation) -> Picture | None:
    """The two heat maps, where the check asked for them and both are matrices of one shape."""
    got, wanted = observation.got, observation.wanted
    if observation.picture != "heat" or not (is_tensor(got) and is_tensor(wanted)):
        return None
    if got.shape != wanted.shape or got.dim() != 2:  # type: ignore[attr-defined]
        return None
    n_rows, n_columns = wanted.shape  # type: ignore[attr-defined]
    return Picture(
        got=got.detach().float().tolist(),  # type: ignore[attr-defined]
        wanted=wanted.detach().float().tolist(),  # type: ignore[attr-defined]
        rows=list(observation.rows) or [str(i) for i in range(n_rows)],
        columns=list(observation.columns) or [str(i) for i in range(n_columns)],
    )


def verdict_of_syntax(error: SyntaxError, stage: Stage) -> Verdict:
    """Say where Python stopped reading: it may be an earlier stage's file, which this one imports."""
    line = (error.text or "").rstrip()
    whose = "your file" if error.filename in (None, file_name(stage)) else str(error.filename).strip("<>")
    return Verdict(
        passed=False,
        message=f"Python cannot read {whose}: {error.msg}, in line {error.lineno}",
        details=[line, " " * max((error.offset or 1) - 1, 0) + "^"] if line else [],
    )


def raised(error: BaseException, stage: Stage) -> Raised:
    """An error as an observation."""
    text = str(error)
    if isinstance(error, SystemExit):
        text = f"your code asked Python to exit ({error.code}): a stage's file must not end the program"
    return Raised(type(error).__name__, text, where_of(error, stage))


def where_of(error: BaseException, stage: Stage) -> str:
    """The last line of a learner's file that the error passed, in words: this stage's, or an earlier one's."""
    name, line = learners_line(error)
    return f"line {line} of {'your file' if name == stage.module + '.py' else name}" if name else ""


def learners_line(error: BaseException) -> tuple[str, int | None]:
    """The file (s07_many_heads.py) and the line of a learner's code where an error arose; "" where it did elsewhere."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if STAGE_FILE.fullmatch(f.filename)]
    places = [(frame.filename, frame.lineno) for frame in frames]
    if isinstance(error, SyntaxError) and STAGE_FILE.fullmatch(error.filename or ""):
        places.append((error.filename or "", error.lineno))
    name, line = places[-1] if places else ("", None)
    return name.strip("<>"), line
