"""The annotation workbook: what it is (layout), how it is written, and how what comes back is read."""
