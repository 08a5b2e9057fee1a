"""A switch on the command line: there or not, with no `--no-` form beside it."""

from typing import Annotated

from cyclopts import Parameter

Flag = Annotated[bool, Parameter(negative="", show_default=False)]
