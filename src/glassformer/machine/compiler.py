"""The C++ compiler, if there is one."""

import os
import shlex
import shutil


def find_compiler() -> list[str] | None:
    """The words to call it by: those of $CXX ("ccache g++"), or the first that is on the path."""
    for words in (shlex.split(os.environ.get("CXX", "")), ["c++"], ["g++"], ["clang++"]):
        if words and (found := shutil.which(words[0])):
            return [found, *words[1:]]
    return None
