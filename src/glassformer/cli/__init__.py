"""The command line: `glassformer COMMAND`.

One file a command, named like it, with a function of the same name; a new command is that file and one line in
COMMANDS. Commands import what they need inside their functions, so that `--help` answers at once. Results go to
stdout, everything else to stderr.
"""

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from keyword import iskeyword
from typing import TYPE_CHECKING, NoReturn, TextIO

from glassformer import __version__
from glassformer.errors import GlassformerError

if TYPE_CHECKING:
    from cyclopts import App, CycloptsError

# The summary is the first sentence of the command's docstring: a test compares them.
COMMANDS = {
    "demo": "Train an English-to-Hindi translator from nothing, in about two minutes, and look inside it.",
    "prepare": "Turn parallel text into data to train on: filtered, tokenised, hashed.",
    "train": "Train a translator from parallel text.",
    "evaluate": "Score a run's translations: BLEU and chrF++, with signatures and confidence intervals.",
    "translate": "Translate texts, or the lines of standard input.",
    "course": "Build the Transformer yourself, stage by stage, checked at every step.",
    "explore": "Look inside a translator at work, in the browser: heads, beams, arithmetic, and what if.",
    "serve": "Serve translations over HTTP, in the LibreTranslate contract.",
    "import": "Turn a Marian / OPUS-MT model into a run that every other command can use.",
    "export": "Write a run's model for another engine: Marian, CTranslate2, ONNX, torch.export.",
    "push": "Upload a run to the Hugging Face Hub.",
    "doctor": "Examine this machine: Python, torch, threads, bf16, devices, optional parts.",
    "single-file": "Print the whole model as one Python file that needs only torch.",
}


def main() -> NoReturn:
    """Run the command in `sys.argv` and exit with its code."""
    # Where a stream was closed before we began (`>&-`), Python has None.
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - to the end
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - to the end
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show ✓ gets a ? for it, not a traceback.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    if isinstance(sys.stdout, TextIOWrapper) and not sys.stdout.isatty():
        sys.stdout.reconfigure(encoding="utf-8")  # as files are read: in a locale without Hindi nothing may be lost
    if isinstance(sys.__stderr__, TextIOWrapper):  # which stays: a stream that nobody holds closes what it writes to
        sys.stderr = Stderr(sys.__stderr__.buffer, sys.__stderr__.encoding, "replace", line_buffering=True)
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code: 0 well, 1 something wrong was found, 2 it was asked the impossible."""
    from cyclopts import CycloptsError

    try:
        code = build_app(arguments)(arguments, exit_on_error=False, print_error=False, result_action="return_value")
        # Here rather than at exit, so that a closed pipe is noticed where it can be answered.
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except CycloptsError as error:
        return complain(describe_usage_error(error))
    except GlassformerError as error:
        return complain(str(error))
    except ImportError as error:
        from glassformer.machine.parts import describe_import_error

        return complain(describe_import_error(error))
    except MemoryError as error:
        return complain(str(error) or "there is not enough memory")
    except RuntimeError as error:
        if not is_out_of_memory(error):
            raise
        return complain("there is not enough memory: make the model or its batches smaller")
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader (`| head`) has had enough. Python flushes stdout once more at exit and would complain there.
        discard(sys.stdout)
        return 0
    except SystemExit as error:
        if not isinstance(error.__context__, BrokenPipeError):
            raise
        return 0  # the same, where rich was printing: it has let go of stdout already
    except OSError as error:
        discard(sys.stdout)
        return complain(f"the system refused: {error}")


class Stderr(TextIOWrapper):
    """Standard error that falls silent when it can no longer be written, as when `| tee log` has ended.

    What a command does, such as a training of days, is worth more than what it says of it.
    """

    def write(self, text: str) -> int:
        """Write, or say nothing from now on."""
        try:
            return super().write(text)
        except OSError:
            discard(self)
            return len(text)

    def flush(self) -> None:
        """Pass on what was written, or say nothing from now on."""
        try:
            super().flush()
        except OSError:
            discard(self)


def discard(stream: TextIO) -> None:
    """Send nowhere what is still to be flushed at exit, and all that may follow."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def is_out_of_memory(error: Exception) -> bool:
    """Whether Python, or torch with a RuntimeError of its own, could not have as much memory as it wanted."""
    # By name: to import torch only to ask would take seconds.
    words = ("can't allocate memory", "out of memory", "Storage size calculation overflowed")
    is_torchs = isinstance(error, RuntimeError) and any(word in str(error) for word in words)
    return isinstance(error, MemoryError) or is_torchs


def build_app(arguments: Sequence[str]) -> "App":
    """Make the parser. Commands are named by import path; only the one that is called gets imported."""
    from cyclopts import App

    app = App(
        name="glassformer",
        help="The Transformer of 'Attention Is All You Need', built so that you can see through it.",
        version=__version__,
        suppress_keyboard_interrupt=False,
    )
    for name, summary in COMMANDS.items():
        function = function_of(name)
        # A summary given here would hide the docstring on the command's own help page.
        called = arguments[:1] == [name]
        app.command(f"glassformer.cli.{function}:{function}", name=name, help=None if called else summary)
    return app


def function_of(command: str) -> str:
    """The name of a command's function and file: `single_file` for single-file, `import_` where it is a keyword."""
    name = command.replace("-", "_")
    return f"{name}_" if iskeyword(name) else name


def describe_usage_error(error: "CycloptsError") -> str:
    """Say on one line what was wrong with the words given, and where to read what was expected."""
    from cyclopts import UnusedCliTokensError

    command = " ".join(["glassformer", *(error.command_chain or ())])
    if isinstance(error, UnusedCliTokensError):
        found = f"{command} takes no argument {' '.join(error.unused_tokens or ())!r}."
    else:
        found = " ".join(str(error).split())
    if error.command_chain == ("translate",):
        found += " (A text that begins with - goes behind --.)"
    return f"{found} See {command} --help."


def complain(message: str) -> int:
    """Print one line on stderr; return the exit code for it."""
    print(f"glassformer: {' '.join(message.split())}", file=sys.stderr)
    return 2
