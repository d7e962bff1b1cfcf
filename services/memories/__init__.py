"""Memories: which data objects served which intent, and their state by outcomes.

The rules of states are pure; the service applies them under concurrent writes.
"""

from services.memories.forgetting import Forgotten as Forgotten
from services.memories.remembering import Entry as Entry
from services.memories.remembering import Remembered as Remembered
from services.memories.service import MemoryService as MemoryService
from services.memories.states import Feedback as Feedback
