"""`glassformer push`: a run onto the Hugging Face Hub. The uploading is interop/hub.py's."""

from pathlib import Path

from glassformer.cli.parameters import Flag


def push(
    run: Path,
    repo: str,
    /,
    *,
    private: Flag = False,
    dry_run: Flag = False,
) -> None:
    """Upload a run to the Hugging Face Hub.

    The model, its tokenizer, its card and how it was trained; never checkpoints or the text that it learnt from. You
    must have logged in with `hf auth login`.

    Parameters
    ----------
    run
        The run folder.
    repo
        The repository, such as your-name/en-hi; it is made if it is not there.
    private
        Make the repository one that only you can see.
    dry_run
        Print the files that would be uploaded, and upload nothing.
    """
    from glassformer.interop.hub import push as upload
    from glassformer.interop.hub import upload_list
    from glassformer.run import Run

    opened = Run.open(run)
    if dry_run:
        for name in upload_list(opened):
            print(f"{(opened.folder / name).stat().st_size:>12,}  {name}")
        return
    print(upload(opened, repo, private=private))
