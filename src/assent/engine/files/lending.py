"""Lending: a body gets the files of its call as temporary copies, for the time that it runs."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self, cast

from assent.domain.calls import Call
from assent.domain.canonical import Json
from assent.domain.files import File, FileReference, FileUse, reference_of
from assent.domain.tools import Context, Tool
from assent.engine.files.contents import Contents
from assent.engine.files.folders import Folder
from assent.engine.kernel import Kernel
from assent.errors import FileUnreadable

# Text of a sealed file is masked in what its body says, as a secret is; a longer one is not looked
# for, since that would cost more than the body itself.
_HIDDEN_BYTES: Final = 8_192


@dataclass(slots=True, kw_only=True)
class LentFiles:
    """The arguments of one run with its files in them; the copies go when the body ends."""

    arguments: Mapping[str, Json]
    answers: Mapping[str, Json] | None = None
    folder: Folder | None = None
    # Texts of sealed files, to be masked.
    hidden: list[str] = field(default_factory=list[str])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.give_back()

    def give_back(self) -> None:
        """Delete the copies."""
        folder, self.folder = self.folder, None
        if folder is not None:
            folder.remove()


async def lend(
    kernel: Kernel, call: Call, tool: Tool, context: Context, arguments: Mapping[str, Json]
) -> LentFiles:
    """Copy the files that the arguments refer to, each checked against what was approved.

    Raises `FileUnreadable` if one is gone or another: then nothing may run.
    """
    form = tool.user_input
    names = () if form is None else tuple(form.files)
    uses = await kernel.store.run(lambda tx: tx.files.uses(call.id))
    loan = _Loan(contents=Contents(kernel=kernel), uses=uses)
    try:
        given = dict(arguments)
        for name in names:
            if given.get(name) is not None:
                given[name] = await loan.filled(name, given[name])
        answers = context.answers
        if answers is not None:
            answers = {name: await loan.filled(name, value) for name, value in answers.items()}
    except BaseException:
        if loan.folder is not None:
            loan.folder.remove()
        raise
    return LentFiles(arguments=given, answers=answers, folder=loan.folder, hidden=loan.hidden)


@dataclass(slots=True, kw_only=True)
class _Loan:
    contents: Contents
    uses: list[FileUse]
    folder: Folder | None = None
    hidden: list[str] = field(default_factory=list[str])
    count: int = 0

    async def filled(self, name: str, value: Json) -> Json:
        """Return the value of a field with files in place of references."""
        if isinstance(value, list):
            return [await self.filled(name, each) for each in value]
        reference = reference_of(value)
        if reference is None:
            return value
        # Not JSON, but what the body is given; nothing stores it.
        return cast("Any", await self._file(name, reference))

    async def _file(self, name: str, reference: FileReference) -> File:
        found = [u for u in self.uses if u.field == name and u.reference.key == reference.key]
        if not found or found[0].reference.to_json() != reference.to_json():
            raise FileUnreadable(reference.name, "it is no longer there")
        try:
            path = await self._place() / reference.name
            sha256 = await self.contents.copied(found[0], path)
        except OSError as error:
            # A full disk is no reason to try again and again, and then to blame the worker.
            raise FileUnreadable(reference.name, f"no copy of it: {error.strerror}") from None
        if found[0].sealed and reference.bytes <= _HIDDEN_BYTES:
            self._hide(path.read_bytes())
        return File(reference, path, sha256)

    async def _place(self) -> Path:
        """Return a folder for one file: two may have the same name."""
        if self.folder is None:
            self.folder = await asyncio.to_thread(Folder.made)
        self.count += 1
        place = self.folder.path / str(self.count)
        place.mkdir(mode=0o700)
        return place

    def _hide(self, content: bytes) -> None:
        text = content.decode("utf-8", "ignore").strip()
        if text:
            self.hidden.append(text)
