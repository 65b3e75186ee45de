"""From an analysis to what people read: metrics.json, tables, report.html, report.xlsx, golden set."""
