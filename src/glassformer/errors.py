"""What a user did or gave that cannot work.

The command line prints these as one line on stderr and exits with 2, without a traceback. A wrong argument from a
programmer is a `ValueError`; something that cannot happen is an `assert`.
"""


class GlassformerError(Exception):
    """The base of them all. The message says what was found, what was expected and what to do."""


class SingleFileError(GlassformerError):
    """The modules of `glassformer.nn` cannot be joined into one file as they stand."""


class CourseError(GlassformerError):
    """A stage, a folder of the course or a learner's file that is not there or not what it should be."""
