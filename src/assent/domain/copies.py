"""Changed copies of what rows become (msgspec structs); dataclasses have `dataclasses.replace`."""

from msgspec.structs import replace as changed

__all__ = ["changed"]
