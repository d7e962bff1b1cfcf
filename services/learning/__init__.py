"""Learning: executed SQL becomes a memory of the data objects that it used.

Statements are parsed, resolved and masked here (pure); the service remembers them through `services.memories`.
"""

from services.learning.service import LearningService as LearningService
from services.learning.service import LearnReport as LearnReport
from services.learning.service import Learnt as Learnt
from services.learning.service import LineReport as LineReport
