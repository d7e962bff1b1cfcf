"""Thirty questions of somebody who reads the code for the first time, each with the file that answers it.

The names of the files are to be enough: an entry names the file and a definition or text that must stand there and
nowhere else in the product.
"""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PRODUCT = ("api", "services", "graph", "cypher")

QUESTIONS = {
    "Which fields does a memory have?": ("graph/memories.py", "class Memory:"),
    "Which fields does a chunk have?": ("graph/chunks.py", "class Chunk:"),
    "How is confidence computed from outcomes?": ("graph/memories.py", "def confidence_of("),
    "What does a store read for one question?": ("graph/evidence.py", "class DiscoveryEvidence:"),
    "How are duplicate premises merged?": ("graph/premises.py", "def joined(old"),
    "Which operations must a whole store have?": ("graph/store.py", "class Store("),
    "How is what is stored written as JSON?": ("graph/plain.py", "class Form("),
    "How long does a writer wait for the SQLite lock?": ("graph/embedded/lock_wait.py", "class LockWait"),
    "Where does the journal put the database in WAL mode?": ("graph/embedded/sqlite_file.py", "journal_mode"),
    "Which Neo4j errors become which of ours?": ("graph/neo4j/failures.py", "def translation("),
    "How is a query file's header checked?": ("tests/kit/query_headers.py", "def header_of("),
    "Which query computes what is live in a session?": ("cypher/premises/live_set.cypher", "// live_set:"),
    "Which code drops stop words?": ("services/words.py", "_FUNCTION_WORDS"),
    "Where is BM25 computed?": ("services/lexical/weights.py", "class Bm25"),
    "How is `name@key=value` parsed?": ("services/arms.py", "def parse("),
    "Which discovery rules are there?": ("services/discovery/arms.py", "RULES"),
    "Which retention policies are there?": ("services/retention/arms.py", "POLICIES"),
    "How is the registry score blended?": ("services/discovery/registry_score.py", "def blend("),
    "Where is leave-one-out computed?": ("services/discovery/trust.py", "def leave_one_out("),
    "How does an outcome change a rule's trust?": ("services/feedback/outcomes.py", "def settle(store"),
    "How is the id of a memory made?": ("services/identity.py", "def make_memory_id("),
    "How is a chunk chosen under the budget?": ("services/retention/selection.py", "def fill_groups("),
    "How sure is an inferred premise?": ("services/retention/beliefs/mixture.py", "def tell_apart("),
    "Which formats of chat logs are read?": ("services/transcripts/message_formats.py", "def messages_in("),
    "How are literals of a statement masked?": ("services/learning/masking.py", "def mask("),
    "How are confidence intervals bootstrapped?": ("services/studies/intervals.py", "def resampled_means("),
    "Where is a chunk's JSON made?": ("api/forms/sessions.py", "def chunk_json("),
    "How long may an intent be?": ("api/limits.py", "INTENT_CHARACTERS"),
    "Which HTTP status does an error get?": ("api/rest/problems.py", "STATUS"),
    "Where are the settings read?": ("api/settings.py", "def read_settings("),
}


def test_there_are_thirty() -> None:
    assert len(QUESTIONS) == 30


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_file_that_answers_is_there_and_the_only_one(question: str) -> None:
    path, text = QUESTIONS[question]
    assert text in (ROOT / path).read_text(encoding="utf-8")
    if text.startswith(("def ", "class ")):
        others = [
            str(file.relative_to(ROOT))
            for folder in PRODUCT
            for file in (ROOT / folder).rglob("*.py")
            if text in file.read_text(encoding="utf-8") and file != ROOT / path
        ]
        assert not others
