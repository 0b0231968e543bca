"""How a call of an MCP tool ended, as the body of a tool returns or raises it."""

import mcp_types as types

from assent.adapters.mcp.results import error_of, output_of
from assent.errors import McpToolFailed


def outcome_of(answer: types.CallToolResult | types.InputRequiredResult) -> object:
    """Return the output of a call; raises what the tool said instead."""
    if isinstance(answer, types.InputRequiredResult):
        raise McpToolFailed("It needs input from a person, which is not supported yet.")
    if answer.is_error:
        raise McpToolFailed(error_of(answer))
    return output_of(answer)
