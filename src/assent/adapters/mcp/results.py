"""Results of MCP tools as outputs of calls: content blocks, structured content, errors."""

from typing import Any, cast

from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from assent.domain.canonical import Json
from assent.domain.outputs import as_text


def output_of(result: CallToolResult) -> Json:
    """Return a result as a model reads it: text as text, images as blocks, else what is structured.

    Structured content stands for the text beside it, which servers repeat it in.
    """
    if "structured_content" in result.model_fields_set and result.structured_content is not None:
        media = [block for block in map(_block, result.content) if block["type"] != "input_text"]
        structured = cast("Json", result.structured_content)
        if not media:
            return structured
        return [{"type": "input_text", "text": as_text(structured)}, *cast("list[Json]", media)]
    blocks = [_block(block) for block in result.content]
    if all(block["type"] == "input_text" for block in blocks):
        return "\n\n".join(str(block["text"]) for block in blocks)
    return cast("Json", blocks)


def error_of(result: CallToolResult) -> str:
    """Return why a tool failed, in its own words."""
    return as_text(output_of(result)) or "It failed, and did not say why."


def _block(block: ContentBlock) -> dict[str, Any]:
    match block:
        case TextContent(text=text):
            return _text(text)
        case ImageContent(data=data, mime_type=kind):
            return {"type": "input_image", "data": data, "media_type": kind} if data else _text("")
        case AudioContent(data=data, mime_type=kind):
            return {"type": "input_file", "data": data, "media_type": kind} if data else _text("")
        case ResourceLink(uri=uri, name=name):
            return _text(f"{name}: {uri}")
        case EmbeddedResource(resource=resource):
            return _resource(resource)


def _resource(resource: TextResourceContents | BlobResourceContents) -> dict[str, Any]:
    if isinstance(resource, TextResourceContents):
        return _text(f"{resource.uri}\n{resource.text}")
    kind = resource.mime_type or ""
    return {"type": "input_file", "data": resource.blob, "media_type": kind}


def _text(text: str) -> dict[str, Any]:
    return {"type": "input_text", "text": text}
