"""Files that the user names for output: refused before the work, never replaced where they are no plain files."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from glassformer.cli.output import check_output, write_output
from glassformer.errors import GlassformerError


def test_a_name_that_nothing_can_be_written_to_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GlassformerError, match="is a folder: name a file to write"):
        check_output(tmp_path)
    with pytest.raises(GlassformerError, match=r"nowhere.x cannot be written: there is no folder .*nowhere"):
        check_output(tmp_path / "nowhere" / "x")


def test_a_link_into_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere" / "x")
    with pytest.raises(GlassformerError, match=r"link cannot be written: there is no folder .*nowhere"):
        check_output(tmp_path / "link")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_one_may_not_write_to_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(GlassformerError, match="this user may not write there"):
        check_output(tmp_path / "x")


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="there is no /dev/stdout")
def test_standard_output_by_its_name_is_written_to_where_it_stands(tmp_path: Path) -> None:
    code = """if True:
        from pathlib import Path
        from glassformer.cli.output import write_output
        print("a translation")
        write_output(Path("/dev/stdout"), "a page\\n")
        print("scores")
    """
    log = tmp_path / "log"
    log.write_text("what was there before\n")
    with log.open("a") as stdout:
        subprocess.run([sys.executable, "-c", code], stdout=stdout, check=True)
    assert log.read_text() == "what was there before\na translation\na page\nscores\n"


def test_what_is_read_is_not_written_over(tmp_path: Path) -> None:
    source = tmp_path / "test.en"
    source.write_text("precious")
    (tmp_path / "link").symlink_to(source)
    for name in (source, tmp_path / "link"):
        with pytest.raises(GlassformerError, match=r"which is read: name another file"):
            check_output(name, inputs=[tmp_path / "other", source])
    check_output(tmp_path / "new", inputs=[source])


def test_a_link_is_followed_and_stays(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "page.html")
    write_output(tmp_path / "link", "पिज़्ज़ा")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == "पिज़्ज़ा"


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    write_output(pipe, "पिज़्ज़ा")
    reader.join(timeout=60)
    assert read == ["पिज़्ज़ा"]
    assert pipe.is_fifo()
