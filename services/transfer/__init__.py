"""Moving whole graphs between stores: written out as canonical lines, read in again in batches.

How a line looks is the business of `writing` and `reading`; which rows go where, of `exporting` and `importing`.
"""

from services.transfer.exporting import export_graph
from services.transfer.importing import import_graph
from services.transfer.reports import ExportReport, ImportReport, RejectedLine

__all__ = ["ExportReport", "ImportReport", "RejectedLine", "export_graph", "import_graph"]
