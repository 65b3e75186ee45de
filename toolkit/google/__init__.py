"""Google Sheets and Drive: signing in, calls that are retried within bounds, and refusals in words (extra `google`)."""
