"""Kinds of values that several commands take."""

from typing import Annotated

from cyclopts import Parameter, validators

Flag = Annotated[bool, Parameter(negative="", show_default=False)]  # there or not, with no --no- form beside it
AtLeastOne = Parameter(validator=validators.Number(gte=1))
NotNegative = Parameter(validator=validators.Number(gte=0))
