"""Workbooks as they come back: one way of going wrong, or oddly right, to a file."""
