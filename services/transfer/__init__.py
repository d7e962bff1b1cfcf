"""Moving whole graphs between stores: written out as canonical lines, read in again in batches.

How a line looks is the business of `rows` and `lines`; which rows go where, of `exporting` and `importing`.
"""

from services.transfer.exporting import ExportReport, export_graph
from services.transfer.importing import ImportReport, RejectedLine, import_graph

__all__ = ["ExportReport", "ImportReport", "RejectedLine", "export_graph", "import_graph"]
