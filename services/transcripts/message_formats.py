"""Formats of chat logs: messages with strings or blocks, calls and results beside or inside them.

One JSON value becomes pieces in reading order; files, lines and ids are in `reading`.
"""

import json
from collections.abc import Iterator, Mapping

from services.transcripts.steps import Json, Piece

ROLES = {"human": "user", "model": "assistant", "ai": "assistant", "gpt": "assistant", "developer": "system"}
_TEXTS = frozenset({"text", "input_text", "output_text", "refusal", "summary_text", "reasoning_text"})
_CALLS = frozenset({"tool_use", "server_tool_use", "function_call", "custom_tool_call", "mcp_tool_use"})
_RESULTS = frozenset(
    {"tool_result", "function_call_output", "custom_tool_call_output", "web_search_tool_result", "mcp_tool_result"}
)


class Misshapen(Exception):
    """The value is not a chat message; the text says why."""


def messages_in(value: Json) -> list[Mapping[str, Json]]:
    """Return the messages of a line: itself, the one it wraps, or all of a conversation that it holds."""
    if isinstance(value, list | tuple):
        return [message for item in value for message in messages_in(item)]
    if not isinstance(value, Mapping):
        raise Misshapen("no JSON object with a `role` or a `type`")
    for name in ("messages", "conversations", "input"):
        held = value.get(name)
        if isinstance(held, list) and "role" not in value:
            return [message for item in held for message in messages_in(item)]
    inner = value.get("message")
    if isinstance(inner, Mapping) and "role" not in value:
        # A log entry around a message; declared premises may be on either.
        beside = {name: value[name] for name in ("premises", "reply_to") if name in value}
        named = value.get("id", value.get("uuid"))
        return [{**beside, **inner, **({"id": named} if named is not None else {})}]
    return [value]


def pieces_of(message: Mapping[str, Json]) -> Iterator[Piece]:
    """Yield the texts, calls and results of a message. Raises `Misshapen`."""
    kind, role = message.get("type"), _role(message)
    if role is None:
        if kind in _CALLS or kind in _RESULTS or kind == "reasoning":
            yield from _block(message, role="assistant")
            return
        raise Misshapen("it has neither a `role` nor a `type` that is known")
    if role in ("tool", "function"):
        yield _result(message.get("content"), call=message.get("tool_call_id"), tool=message.get("name"))
        return
    content = message.get("content", message.get("parts", message.get("value")))
    yield from _content(content, role=role)
    calls = message.get("tool_calls") or ()
    if not isinstance(calls, list | tuple):
        raise Misshapen("`tool_calls` is no list")
    for call in calls:
        if not isinstance(call, Mapping):
            raise Misshapen("a call in `tool_calls` is no object")
        yield _call(call, role=role)
    if isinstance(old := message.get("function_call"), Mapping):
        yield _call(old, role=role)


def _role(message: Mapping[str, Json]) -> str | None:
    role = message.get("role", message.get("from"))
    if role is None:
        return None
    if not isinstance(role, str) or not role.strip():
        raise Misshapen("its `role` is no text")
    role = role.strip().lower()
    return ROLES.get(role, role)


def _content(content: Json, *, role: str, thought: bool = False) -> Iterator[Piece]:
    if isinstance(content, str):
        yield from _said(content, role=role, thought=thought)
    elif isinstance(content, list | tuple):
        for block in content:
            if isinstance(block, str):
                yield from _said(block, role=role, thought=thought)
            elif isinstance(block, Mapping):
                yield from _block(block, role=role, thought=thought)
            else:
                raise Misshapen("a block of its content is neither text nor an object")
    elif isinstance(content, Mapping):
        yield from _block(content, role=role, thought=thought)
    elif content is not None:
        raise Misshapen("its content is neither text nor blocks")


def _said(text: str, *, role: str, thought: bool) -> Iterator[Piece]:
    if text.strip():
        yield Piece(kind="said", role=role, text=text, thought=thought)


def _block(block: Mapping[str, Json], *, role: str, thought: bool = False) -> Iterator[Piece]:
    """Yield the pieces of a block; pictures, signatures and the like have no text and are skipped."""
    kind = block.get("type")
    if kind in _CALLS:
        yield _call(block, role=role)
    elif kind in _RESULTS:
        output = block.get("content", block.get("output"))
        call = block.get("tool_use_id", block.get("call_id"))
        yield _result(output, call=call, tool=block.get("name"), failed=block.get("is_error") is True)
    elif isinstance(held := block.get("functionCall", block.get("function_call")), Mapping):
        yield _call(held, role=role)
    elif isinstance(held := block.get("functionResponse", block.get("function_response")), Mapping):
        yield _result(held.get("response"), call=held.get("id"), tool=held.get("name"))
    elif kind == "reasoning":
        yield from _content(block.get("content") or block.get("summary"), role=role, thought=True)
    elif kind in _TEXTS or kind is None or kind == "thinking":
        for name in ("text", "thinking", "refusal"):
            if isinstance(text := block.get(name), str):
                yield from _said(text, role=role, thought=thought or name == "thinking")


def _call(call: Mapping[str, Json], *, role: str) -> Piece:
    function = call.get("function")
    inner = function if isinstance(function, Mapping) else call
    tool = inner.get("name")
    if not isinstance(tool, str) or not tool.strip():
        raise Misshapen("a call names no tool")
    arguments = next((inner[name] for name in ("arguments", "input", "args") if name in inner), None)
    value = _parsed(arguments)
    shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    identity = call.get("call_id", call.get("id"))
    return Piece(
        kind="call",
        role=role,
        text=f"{tool}({'' if value is None else shown})",
        tool=tool,
        call=identity if isinstance(identity, str) else "",
        value=value,
    )


def _result(output: Json, *, call: Json, tool: Json, failed: bool = False) -> Piece:
    text = _plain(output)
    return Piece(
        kind="result",
        role="tool",
        text=text,
        tool=tool if isinstance(tool, str) else "",
        call=call if isinstance(call, str) else "",
        value=_parsed(text if isinstance(output, list | tuple) else output),
        failed=failed or _reports_failure(output),
    )


def _plain(output: Json) -> str:
    if isinstance(output, str):
        return output
    if isinstance(output, list | tuple) and all(isinstance(block, Mapping) and "type" in block for block in output):
        texts = [block["text"] for block in output if isinstance(block, Mapping) and isinstance(block.get("text"), str)]
        return "\n".join(map(str, texts))
    return "" if output is None else json.dumps(output, ensure_ascii=False)


def _parsed(value: Json) -> Json:
    """Parse JSON in a string; return anything else as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        held: Json = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return held


def _reports_failure(output: Json) -> bool:
    held = _parsed(output)
    if isinstance(held, Mapping):
        return bool(held.get("error")) or held.get("ok") is False or held.get("is_error") is True
    return isinstance(held, str) and held.lstrip()[:9].lower().startswith(("error:", "error ", "traceback", "fatal:"))
