"""The catalogue: reading what describes tables and columns, and importing it item by item.

Readers know forms (JSON, SQL DDL), the import knows the store; neither knows a door.
"""

from services.catalogue.reading import read_catalogue as read_catalogue
from services.catalogue.service import CatalogueService as CatalogueService
from services.catalogue.values import Catalogue as Catalogue
from services.catalogue.values import ImportReport as ImportReport
from services.catalogue.values import Rejected as Rejected
