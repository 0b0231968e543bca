"""The schema of preferences, and of what suggestions are looked up in."""

from sqlalchemy import PrimaryKeyConstraint, Table, UniqueConstraint

from assent.store.columns import flag, index, key, metadata, of, texts, time

preferences = Table(
    "preferences",
    metadata,
    key(),
    *texts("person", "scope", "name", "value"),
    flag("secret"),
    time("at"),
    UniqueConstraint("person", "scope", "name"),
)

# The newest successful call of each conversation, by person and tool or family: a suggestion takes
# one look, however many calls there were. The values stay in the calls.
last_calls = Table(
    "last_calls",
    metadata,
    *texts("person", "scope", "conversation_id"),
    of("calls", "call_id"),
    *texts("names"),
    time("at"),
    PrimaryKeyConstraint("person", "scope", "conversation_id"),
    index("ix_last_calls_newest", "person", "scope", "at"),
)

# Fields that a person wants no more suggestions for.
unsuggested = Table(
    "unsuggested",
    metadata,
    key(),
    *texts("person", "scope", "name"),
    time("at"),
    UniqueConstraint("person", "scope", "name"),
)
