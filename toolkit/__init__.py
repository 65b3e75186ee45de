"""Find out whether an LLM judge can be trusted, with people who score in a spreadsheet."""

__version__ = "0.1.0"
