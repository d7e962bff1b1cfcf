"""The catalogue: read descriptions of tables and columns, and import them item by item.

Readers know file formats (JSON, SQL DDL, CSV, dbt) and databases, the import knows the store.
"""

from services.catalogue.reading import read_catalogue as read_catalogue
from services.catalogue.service import CatalogueService as CatalogueService
from services.catalogue.values import CatalogueImport as CatalogueImport
from services.catalogue.values import Rejected as Rejected
from services.catalogue.values import SourceCatalogue as SourceCatalogue
