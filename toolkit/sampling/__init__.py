"""From a log of millions to the items people see: strata, selection, and how many items a question needs.

The log stays where it is (files through embedded DuckDB, a warehouse through Ibis); only counts per stratum and a
few candidates per stratum travel. Which records are candidates follows from the seed and the record's own identifier
alone, so that every engine, every order of the rows and every later version of the log pick alike.
"""

# people score tens to thousands of records; no engine has to keep more candidates than that, and DuckDB cannot
MOST_WANTED = 100_000
