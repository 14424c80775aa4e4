"""The parts of messages, between the domain and the contract."""

from memoryd.v1 import conversation_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.values.message import FilePart, MessagePart, TextPart, ToolCall, ToolResult
from memoryd_server.transport.fields.record_id import record_id_of


def part_message(part: MessagePart) -> pb.MessagePart:
    """Encode a part of a message."""
    match part:
        case TextPart(text):
            return pb.MessagePart(text=text)
        case FilePart(uri, document_id, media_type, name):
            return pb.MessagePart(
                file=pb.MessageFile(uri=uri, document_id=document_id, media_type=media_type, name=name)
            )
        case ToolCall(tool_call_id, name, arguments_json):
            call = pb.MessageToolCall(tool_call_id=tool_call_id, name=name, arguments_json=arguments_json)
            return pb.MessagePart(tool_call=call)
        case ToolResult(tool_call_id, name, content, failed):
            result = pb.MessageToolResult(tool_call_id=tool_call_id, name=name, content=content, failed=failed)
            return pb.MessagePart(tool_result=result)


def part_of(message: pb.MessagePart, field: str) -> MessagePart:
    """Decode a part of a message. ``field`` is its path in the request. Raises InvalidField."""
    match message.WhichOneof("part"):
        case "text":
            if not message.text:
                raise InvalidField(f"{field}.text", "must not be empty")
            return TextPart(message.text)
        case "file":
            return _file_of(message.file, f"{field}.file")
        case "tool_call":
            call, place = message.tool_call, f"{field}.tool_call"
            return ToolCall(
                validation.text(f"{place}.tool_call_id", call.tool_call_id, limit.TOOL_CALL_ID_BYTES_MAX),
                validation.text(f"{place}.name", call.name, limit.TOOL_NAME_BYTES_MAX),
                call.arguments_json,
            )
        case "tool_result":
            result, place = message.tool_result, f"{field}.tool_result"
            return ToolResult(
                validation.text(f"{place}.tool_call_id", result.tool_call_id, limit.TOOL_CALL_ID_BYTES_MAX),
                validation.optional_text(f"{place}.name", result.name, limit.TOOL_NAME_BYTES_MAX),
                result.content,
                result.failed,
            )
        case _:
            raise InvalidField(f"{field}.part", "must be set")


def _file_of(message: pb.MessageFile, field: str) -> FilePart:
    if not (message.uri or message.document_id):
        raise InvalidField(f"{field}.uri", "must not be empty without a document_id")
    return FilePart(
        validation.optional_text(f"{field}.uri", message.uri, limit.SOURCE_BYTES_MAX),
        record_id_of(f"{field}.document_id", message.document_id) if message.document_id else "",
        validation.optional_text(f"{field}.media_type", message.media_type, limit.MEDIA_TYPE_BYTES_MAX),
        validation.optional_text(f"{field}.name", message.name, limit.FILE_NAME_BYTES_MAX),
    )
