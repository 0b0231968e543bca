"""`changed`: a changed copy of a msgspec struct, as `dataclasses.replace` is for dataclasses."""

from msgspec.structs import replace as changed

__all__ = ["changed"]
