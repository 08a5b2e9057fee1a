"""The Hugging Face Hub: fetch a Marian model, push a run. Needs the extra `hub` and a network.

Keeps no tokens and asks for none: huggingface_hub finds the one that its own login left.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from glassformer.errors import GlassformerError
from glassformer.run import Run, RunError

MARIAN_FILES = [
    *("config.json", "generation_config.json", "tokenizer_config.json"),
    *("vocab.json", "target_vocab.json", "source.spm", "target.spm"),
]
# Of a run folder: the model to use, then what tells how it came about. Never checkpoints or the text it learnt from.
NEEDED = ("config.json", "model.safetensors", "tokenizer/tokenizer.json", "README.md")
TOLD = ("config.toml", "run.json", "metrics.jsonl", "curves.png", "samples.txt")


class HubError(GlassformerError):
    """The hub cannot be reached, or does not have or take what was named."""


def fetch(name: str) -> Path:
    """The folder of a Marian model on the hub, fetched if it is not here yet. safetensors before pickles."""
    with said_plainly(name):
        from huggingface_hub import HfApi, snapshot_download

        # Its files by model_info, which without a network fails at once: other calls try for a minute.
        found = {file.rfilename for file in HfApi().model_info(name).siblings or ()}
        weights = {"model.safetensors", "pytorch_model.bin"} & found
        if not weights:
            raise HubError(f"{name} on the hub has neither model.safetensors nor pytorch_model.bin: it is no model")
        return Path(snapshot_download(name, allow_patterns=[*MARIAN_FILES, min(weights)]))


def upload_list(run: Run) -> list[str]:
    """The files of a run that go to the hub, by their names inside it."""
    for name in NEEDED:
        if not (run.folder / name).is_file():
            raise RunError(f"{run.folder} has no {name}: only a run with a trained model can be pushed")
    tokenizer = sorted(f"tokenizer/{path.name}" for path in run.tokenizer_folder.iterdir() if path.is_file())
    others = [name for name in (*NEEDED, *TOLD) if "/" not in name and (run.folder / name).is_file()]
    return [*others, *tokenizer]


def push(run: Run, repo: str, *, private: bool) -> str:
    """Upload a run into a repository of models, which is made if need be; return where it now is."""
    names = upload_list(run)
    with said_plainly(repo):
        from huggingface_hub import CommitOperationAdd, HfApi

        api = HfApi()
        address = api.create_repo(repo, private=private, exist_ok=True)
        operations = [CommitOperationAdd(path_in_repo=name, path_or_fileobj=run.folder / name) for name in names]
        api.create_commit(repo, operations, commit_message="A glassformer run")
        return str(address)


@contextmanager
def said_plainly(name: str) -> Iterator[None]:
    """Turn whatever the hub's library raises into one sentence. (That it is missing, the command line explains.)"""
    try:
        yield
    except (GlassformerError, ImportError):
        raise
    except Exception as error:
        # Its errors come from three libraries and have no class in common.
        kind = type(error).__name__
        if kind in ("RepositoryNotFoundError", "GatedRepoError", "HFValidationError", "RevisionNotFoundError"):
            reason = "there is no such repository, or it is not open to you"
        elif kind in ("LocalTokenNotFoundError", "BadRequestError") or "401" in str(error):
            reason = "it wants to know who you are: log in with `hf auth login`"
        else:
            reason = f"the hub cannot be reached ({kind}): is there a network?"
        raise HubError(f"{name}: {reason}") from None
