"""Limits on what one MCP server may cost the process that talks to it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class McpLimits:
    """Bounds that hold while a server's words are read, not after."""

    # One message, and so one result. Outputs are cut further when they are stored.
    message_bytes: int = 8_000_000
    tools: int = 500
    # One tool's description and schemas together, as JSON.
    definition_bytes: int = 64_000
    pages: int = 200
    # What a server may say in a second before it is read more slowly.
    messages_per_second: int = 500
    # Lines on stdout that are no messages, before the connection is given up.
    garbage_lines: int = 1_000
    # Pauses between attempts to open a connection again.
    first_pause_seconds: float = 0.5
    longest_pause_seconds: float = 60.0
    list_seconds: float = 30.0
    # Rounds of questions that one call may ask of people, and questions while it runs.
    rounds: int = 10
    schema_depth: int = 64
