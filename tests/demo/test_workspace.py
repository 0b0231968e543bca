"""The demo's folder: nothing leads out of it."""

import os
from pathlib import Path

import pytest

from assent.demo.workspace import MAX_FILE_BYTES, Workspace


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    path = tmp_path / "outside.txt"
    path.write_text("not yours")
    return path


@pytest.fixture
def workspace(tmp_path: Path, outside: Path) -> Workspace:
    root = tmp_path / "workspace"
    root.mkdir()
    (root / "link.txt").symlink_to(outside)
    (root / "folder").symlink_to(tmp_path)
    (root / "plain.txt").write_text("mine")
    return Workspace(root)


ESCAPES = [
    "../outside.txt",
    "a/../../outside.txt",
    "/etc/passwd",
    "link.txt",
    "folder/outside.txt",
    "folder/new.txt",
    "",
    ".",
    "..",
    "a\x00b",
    "plain.txt/inner",
]


@pytest.mark.parametrize("path", ESCAPES)
def test_nothing_outside_can_be_read(workspace: Workspace, path: str) -> None:
    with pytest.raises(PermissionError):
        workspace.read(path)


@pytest.mark.parametrize("path", ESCAPES)
def test_nothing_outside_can_be_written(
    workspace: Workspace, outside: Path, path: str, tmp_path: Path
) -> None:
    with pytest.raises(PermissionError):
        workspace.write(path, "overwritten")

    assert outside.read_text() == "not yours"
    assert sorted(child.name for child in tmp_path.iterdir()) == ["outside.txt", "workspace"]


@pytest.mark.parametrize("path", ["../outside.txt", "folder/outside.txt", "/etc/hostname"])
def test_nothing_outside_can_be_deleted(workspace: Workspace, outside: Path, path: str) -> None:
    with pytest.raises(PermissionError):
        workspace.delete(path)

    assert outside.exists()


def test_deleting_a_link_deletes_the_link_alone(workspace: Workspace, outside: Path) -> None:
    workspace.delete("link.txt")

    assert outside.read_text() == "not yours"
    assert not (workspace.root / "link.txt").is_symlink()


def test_files_in_folders_are_made_listed_and_read(workspace: Workspace) -> None:
    workspace.write("a/b/c.txt", "deep")

    assert workspace.read("a/b/c.txt") == "deep"
    assert workspace.files() == ["plain.txt", "a/b/c.txt"]


def test_a_file_that_is_too_large_is_refused(workspace: Workspace) -> None:
    (workspace.root / "large.txt").write_text("x" * (MAX_FILE_BYTES + 1))

    with pytest.raises(ValueError, match="larger than"):
        workspace.read("large.txt")


def test_a_pipe_is_no_file_and_does_not_block(workspace: Workspace) -> None:
    os.mkfifo(workspace.root / "pipe")

    with pytest.raises(PermissionError):
        workspace.read("pipe")


def test_a_missing_file_is_said_to_be_missing(workspace: Workspace) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        workspace.read("nowhere.txt")
