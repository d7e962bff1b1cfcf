"""Learning: the SQL that ran becomes a memory of the data objects that it used.

Here are reading, resolving and masking of statements (pure), and the service that remembers; memories' rules are
next door.
"""

from services.learning.service import LearningService as LearningService
from services.learning.service import LearnReport as LearnReport
from services.learning.service import Learnt as Learnt
from services.learning.service import LineReport as LineReport
