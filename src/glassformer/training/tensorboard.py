"""The same events for TensorBoard, which is an extra: `pip install 'glassformer[tensorboard]'`."""

from pathlib import Path
from typing import Any

from glassformer.training.watcher import StepReport


class TensorBoard:
    """A watcher that writes scalars and samples where TensorBoard looks for them."""

    def __init__(self, folder: Path, step: int) -> None:
        """`step`: the last one trained; what an earlier writer has of later ones, before a crash, is not shown."""
        # Here, so that only who asks for it needs the package.
        from torch.utils.tensorboard import SummaryWriter

        self._writer = SummaryWriter(str(folder), purge_step=step + 1)

    def stepped(self, report: StepReport) -> None:
        """Wait for the event: a point a step would be too many."""

    def happened(self, event: dict[str, Any]) -> None:
        """Write the event's numbers."""
        kind, step = event["event"], event["step"]
        numbers = {name: value for name, value in event.items() if isinstance(value, float)}
        for name, value in (numbers | event.get("scores", {})).items():
            self._writer.add_scalar(f"{kind}/{name}", value, step)
        for number, (source, translation, reference) in enumerate(event.get("samples", [])):
            self._writer.add_text(f"sample {number}", f"{source}\n\n{translation}\n\n({reference})", step)
        self._writer.flush()

    def noted(self, text: str) -> None:
        """Leave words to others."""
