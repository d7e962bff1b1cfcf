"""Where a value came from: the step that gave it first, or that last renewed it, as far as its user could see.

It grows with the log, a step at a time; `linking` decides what follows from an origin.
"""

from dataclasses import dataclass, field

from services.transcripts.identifiers import Value, agree, cut_end, is_hash, is_long, same_key, values_of
from services.transcripts.steps import Step

PREFIX = 7  # as many characters of a hash, or of a value cut short, stand for the whole


@dataclass(slots=True, kw_only=True)
class Given:
    """A step that gave a value under a key. `source`: the tool whose output it was in, or the role of the message."""

    first: int
    key: str
    source: str
    kind: str


@dataclass(slots=True, kw_only=True, eq=False)
class Origins:
    """The origins of the values of a log up to a step."""

    stories: dict[str, list[Given]] = field(default_factory=dict)
    spoken: dict[str, list[Given]] = field(default_factory=dict)  # what the user could see
    prefixes: dict[str, str] = field(default_factory=dict)  # of hashes: the first 7 characters, the whole
    cuts: list[tuple[str, int, str]] = field(default_factory=list)  # outputs cut short: their ends, places, tools
    frequency: dict[str, int] = field(default_factory=dict)

    def of(self, value: Value, *, seen: str) -> Given | None:
        """Return the origin of a value for a step of the agent, or of the user, who sees only messages (`seen`)."""
        known = self.spoken if seen == "user" else self.stories
        stories = known.get(value.text)
        if stories is None and is_hash(value.text):
            whole = self.prefixes.get(value.text[:PREFIX])
            if whole is not None and (whole.startswith(value.text) or value.text.startswith(whole)):
                stories = known.get(whole)
        if stories:
            fitting = [story for story in stories if same_key(story.key, value.key)]
            fitting = fitting or [story for story in stories if agree(story.key, value.key)]
            # A value too long to match by chance is the same thing under any key.
            fitting = fitting or (stories if value.sort == "strong" or is_long(value.text) else [])
            return fitting[0] if fitting else None
        return self._cut(value) if seen != "user" else None

    def _cut(self, value: Value) -> Given | None:
        """An output truncated within this value, or the last truncated one: an agent saw more than its log shows."""
        if value.sort != "strong":
            return None
        for start, place, _ in reversed(self.cuts[-20:]):
            if len(start) >= 4 and value.text.startswith(start):
                return Given(first=place, key="", source="", kind="cut within")
        return Given(first=self.cuts[-1][1], key="", source="", kind="cut") if self.cuts else None

    def rival(self, given: Given, *, since: int) -> int | None:
        """Return a truncated output that may have given the value too: a later one of the same tool, or one before."""
        for _, place, tool in reversed(self.cuts[-20:]):
            if (tool == given.source and place > given.first) or since < place < given.first:
                return place
        return None

    def learn(self, step: Step, place: int, *, call: Step | None) -> None:
        """Add the values of a step. A result that repeats arguments of its own call gives nothing new."""
        piece = step.piece
        asked = {value.text for value in values_of(call.piece)} if call else set()
        source = (call.piece.tool if call else piece.tool) if piece.kind == "result" else piece.role
        names, asker = values_of(piece), step.answers
        for text in {value.text for value in names}:
            self.frequency[text] = self.frequency.get(text, 0) + 1
        for value in names:
            self._add(
                self.stories, value, place, source=source, kind=piece.kind, repeated=value.text in asked, asker=asker
            )
            if piece.kind == "said":
                self._add(self.spoken, value, place, source=source, kind=piece.kind, repeated=False, asker=None)
            if is_hash(value.text):
                self.prefixes[value.text[:PREFIX]] = value.text
        if (start := cut_end(piece)) is not None:
            self.cuts.append((start, place, source))

    def _add(
        self,
        known: dict[str, list[Given]],
        value: Value,
        place: int,
        *,
        source: str,
        kind: str,
        repeated: bool,
        asker: int | None,
    ) -> None:
        stories = known.setdefault(value.text, [])
        if repeated and stories and stories[0].kind == "call" and stories[0].first == asker:
            stories[0] = Given(first=place, key=stories[0].key, source=source, kind=kind)  # what it made is there now
            return
        for story in stories:
            if story.key == value.key or value.key.startswith("~"):
                # Given again by the same tool, or by the user: the earlier step is out of date.
                if kind == story.kind and source == story.source and kind != "call" and not repeated:
                    story.first = place
                return
        if repeated and stories:
            return
        # An agent does not invent an id: it was in a truncated output. The user has it from the message.
        made_up = known is self.stories and kind == "said" and source == "assistant" and not stories
        lost = self._cut(value) if made_up else None
        stories.append(lost or Given(first=place, key=value.key, source=source, kind=kind))
