"""Memory that is kept from step to step."""

import platform
import subprocess
import sys

import pytest

# In a process of its own: the setting cannot be taken back. The pages of a freed buffer are there again at once.
PROGRAM = """
import resource, sys
from glassformer.training.allocator import keep_freed_memory
if sys.argv[1] == "keep":
    assert keep_freed_memory()
def fault_count():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
b"x" * 50_000_000
before = fault_count()
for _ in range(10):
    b"x" * 50_000_000
print(fault_count() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has the setting")
def test_a_buffer_of_the_same_size_costs_no_new_pages() -> None:
    def faults(word: str) -> int:
        done = subprocess.run([sys.executable, "-c", PROGRAM, word], capture_output=True, text=True, check=True)
        return int(done.stdout)

    assert faults("keep") * 10 < faults("leave")
