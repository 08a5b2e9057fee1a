"""`make notebooks`: every stage of the course as a notebook in build/notebooks."""

import sys
from pathlib import Path

from glassformer.course.notebook import write_notebooks

if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent / "build" / "notebooks"
    print(f"{len(write_notebooks(folder))} notebooks are in {folder}")
