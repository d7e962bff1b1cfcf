"""Logs in the common chat shapes become the same steps; what is wrong is told by line, and the rest goes in."""

import json

import pytest

from services.transcripts.as_session import read_session
from services.transcripts.reading import read_log

ARGUMENTS = {"order_id": "O-77120", "note": "prüfen 注文"}
OUTPUT = json.dumps({"status": "packed"})

TOOL_CALLS = [
    {"role": "user", "content": "Where is it?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "get_order", "arguments": json.dumps(ARGUMENTS)}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": OUTPUT},
    {"role": "assistant", "content": "Packed."},
]
OLD_FUNCTIONS = [
    {"role": "user", "content": "Where is it?"},
    {"role": "assistant", "function_call": {"name": "get_order", "arguments": json.dumps(ARGUMENTS)}},
    {"role": "function", "name": "get_order", "content": OUTPUT},
    {"role": "assistant", "content": [{"type": "text", "text": "Packed."}]},
]
BLOCKS = [
    {"role": "user", "content": [{"type": "text", "text": "Where is it?"}]},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": ""},
            {"type": "tool_use", "id": "c1", "name": "get_order", "input": ARGUMENTS},
        ],
    },
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": OUTPUT}]}],
    },
    {"role": "assistant", "content": [{"type": "text", "text": "Packed."}]},
]
ITEMS = [
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Where is it?"}]},
    {"type": "reasoning", "summary": []},
    {"type": "function_call", "call_id": "c1", "name": "get_order", "arguments": json.dumps(ARGUMENTS)},
    {"type": "function_call_output", "call_id": "c1", "output": OUTPUT},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Packed."}]},
]
PARTS = [
    {"role": "user", "parts": [{"text": "Where is it?"}]},
    {"role": "model", "parts": [{"functionCall": {"name": "get_order", "args": ARGUMENTS}}]},
    {"role": "user", "parts": [{"functionResponse": {"name": "get_order", "response": {"status": "packed"}}}]},
    {"role": "model", "parts": [{"text": "Packed."}]},
]
WRAPPED = [{"type": "assistant", "uuid": f"u{n}", "message": message} for n, message in enumerate(BLOCKS)]


def lines_of(messages):
    return [json.dumps(message, ensure_ascii=False) for message in messages]


@pytest.mark.parametrize(
    "messages",
    [TOOL_CALLS, OLD_FUNCTIONS, BLOCKS, ITEMS, PARTS, WRAPPED, [{"messages": TOOL_CALLS}], [{"input": ITEMS}]],
    ids=["tool_calls", "function_call", "blocks", "items", "parts", "wrapped", "conversation", "input"],
)
def test_every_shape_gives_the_same_steps(messages):
    steps, faults = read_log(lines_of(messages))
    assert faults == ()
    assert [step.piece.kind for step in steps] == ["said", "call", "result", "said"]
    assert [step.piece.role for step in steps] == ["user", "assistant", "tool", "assistant"]
    assert [step.piece.text for step in steps] == [
        "Where is it?", f"get_order({json.dumps(ARGUMENTS, ensure_ascii=False)})", OUTPUT, "Packed.",
    ]  # fmt: skip
    assert steps[1].piece.value == ARGUMENTS
    assert steps[2].answers == 1


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{broken", "no JSON"),
        ("17", "no JSON object"),
        ('{"content": "who said it?"}', "neither a `role` nor a `type`"),
        ('{"role": 5, "content": "x"}', "`role` is no text"),
        ('{"role": "user", "content": 12}', "neither text nor blocks"),
        ('{"role": "user", "content": [3]}', "neither text nor an object"),
        ('{"role": "assistant", "tool_calls": {"id": "x"}}', "`tool_calls` is no list"),
        ('{"role": "assistant", "tool_calls": [{"id": "x", "function": {"arguments": "{}"}}]}', "names no tool"),
        ('{"role": "user", "content": "half \\ud800 a pair"}', "surrogate"),
        ('{"role": "user", "content": "x", "id": ["a"]}', "`id`"),
        ('{"role": "user", "content": "x", "premises": "line-1"}', "no list of ids"),
        ("[" * 100_000, "no JSON"),
    ],
)
def test_a_faulty_line_is_told_and_the_others_go_in(line, says):
    steps, faults = read_log([*lines_of(TOOL_CALLS[:1]), "", line, *lines_of(TOOL_CALLS[1:])])
    assert len(steps) == 4
    assert [fault.line for fault in faults] == [3]
    assert says in faults[0].reason or "recursion" in faults[0].reason


def test_a_chunk_says_what_it_was_in_the_log():
    said = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": "Where is it?"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "I should look it up."},
                {"type": "text", "text": "Let me look."},
                {"type": "tool_use", "id": "toolu_1", "name": "find", "input": {}},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "shelf 9"}]},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "It is on the shelf."}]},
        {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "So I can answer."}]},
        {"role": "assistant", "function_call": {"name": "close", "arguments": "{}"}},
        {"role": "critic", "content": "Too short."},
    ]
    session = read_session(lines_of(said))
    assert session.faults == ()
    assert [(it.kind, it.role, it.call_id) for it in session.chunks] == [
        ("system", "system", None),
        ("message", "user", None),
        ("thought", "assistant", None),
        ("message", "assistant", None),
        ("call", "assistant", "toolu_1"),
        ("result", "tool", "toolu_1"),
        ("thought", "assistant", None),
        ("thought", "assistant", None),
        ("call", "assistant", None),
        ("message", None, None),
    ]


def test_a_result_without_its_call_goes_in_and_is_told():
    steps, faults = read_log(lines_of(TOOL_CALLS[2:]))
    assert [step.piece.kind for step in steps] == ["result", "said"]
    assert steps[0].answers is None
    assert "'c1'" in faults[0].reason


def test_ids_are_the_messages_own_and_never_twice():
    message = {
        "id": "m1",
        "role": "assistant",
        "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
    }
    steps, _ = read_log(
        lines_of([message, {**message, "content": "c"}, {"role": "user", "content": "d", "id": "m1.2"}])
    )
    assert [step.id for step in steps] == ["m1", "m1.2", "m1.3", "m1.2.2"]


def test_a_persons_link_is_declared_and_one_to_nowhere_is_told():
    logged = read_session(
        lines_of(
            [
                {"id": "a", "role": "user", "content": "the budget is fixed"},
                {"id": "b", "role": "user", "content": "so we wait", "premises": ["a", "nowhere"], "reply_to": "a"},
            ]
        )
    )
    assert [(p.chunk, p.premise, p.grade, p.weight) for p in logged.premises] == [("b", "a", "declared", 1.0)]
    assert [(fault.line, "nowhere" in fault.reason) for fault in logged.faults] == [(2, True)]


def test_a_log_becomes_chunks_in_order_and_a_result_needs_its_call():
    logged = read_session(lines_of(TOOL_CALLS))
    assert [chunk.tokens for chunk in logged.chunks] == [3, 5, 2, 1]
    assert [chunk.position for chunk in logged.chunks] == [0, 1, 2, 3]
    ids = [chunk.id for chunk in logged.chunks]
    assert (ids[2], ids[1], "observed") in [(it.chunk, it.premise, it.grade) for it in logged.premises]
    assert read_session([]).chunks == read_session([]).premises == ()


def test_lines_are_read_twice_alike():
    first, second = (read_session(lines_of(BLOCKS)) for _ in range(2))
    assert (first.chunks, first.premises) == (second.chunks, second.premises)
