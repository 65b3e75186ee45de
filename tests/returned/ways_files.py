"""What is made of the file."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

from tests.readers.build import ods_cell, ole, row, xlsx_parts, zipped
from tests.returned.way import Make, unread, way
from tests.returned.workbook import Filled, as_csv, as_ods, as_xls, parts_of, replaced

# A table reads better with a line for a row.
# fmt: off
# --- other files --------------------------------------------------------------------------------------------------

for id_, separator, encoding in (
    ("comma", ",", "utf-8"),
    ("semicolon-bom", ";", "utf-8-sig"),
    ("tab-utf16", "\t", "utf-16"),
    ("tab-utf16-be", "\t", "utf-16-be"),
    ("comma-utf16-le", ",", "utf-16-le"),
):
    way(f"csv-{id_}", f"saved as CSV ({id_})", lambda f, s=separator, e=encoding: as_csv(f.grid(), s, e), file="A1.csv")
way("csv-windows", "saved as CSV (semicolon, Windows-1252)", lambda f: as_csv(f.grid(), ";", "cp1252"), file="A1.csv",
    warnings=["Windows-1252", "1 texts hold characters"])
way("csv-unix", "saved as CSV with the line ends of Unix", lambda f: as_csv(f.grid(), ",", end="\n"), file="A1.txt")
way("csv-sep-line", "a program put sep=; above", lambda f: b"sep=;\r\n" + as_csv(f.grid(), ";"), file="A1.csv")
unread("csv-first-row-gone", "saved as CSV without the hidden row", lambda f: as_csv(f.grid()[1:]),
       "without the row of hidden keys", "A1.csv")
unread("csv-cut-off", "the copying stopped", lambda f: as_csv(f.grid())[:-900], "quotation mark is not closed",
       "A1.csv", cell="*")


def _typed(key: str, item: str, value: Any, save: Callable[..., bytes], *more: Any) -> Make:
    def put(filled: Filled) -> bytes:
        filled.put(key, item, value)
        return save(filled.grid(), *more)

    return put


way("csv-decimal-comma", "typed 4,0, saved as CSV", _typed("score", "f1", "4,0", as_csv), {"f1": 4}, repairs=1,
    file="A1.csv")
way("csv-date", "typed 4/5, saved as CSV", _typed("score", "f1", "04/05/2026", as_csv, ";"), {"f1": None},
    problems=[("score:f1", "exactly one value")], file="A1.csv")
way("csv-true", "typed true, saved as CSV", _typed("score", "f1", "VERDADEIRO", as_csv), {"f1": None},
    problems=[("score:f1", "exactly one value")], file="A1.csv")
way("csv-words", "wrote quotes and lines, saved as CSV", _typed("notes", "f1", 'a "b";\n=c, d', as_csv, ";"),
    words={("notes", "f1"): 'a "b";\n=c, d'}, file="A1.csv")
way("ods", "saved as .ods", lambda f: as_ods(f.grid()), file="A1.ods")
way("ods-text-score", "typed 4,0, saved as .ods", _typed("score", "f1", "4,0", as_ods), {"f1": 4}, repairs=1,
    file="A1.ods")
for id_, value, words in (
    ("true", True, "true/false"),
    ("date", datetime.datetime(2026, 5, 4), "date or time"),
    ("half", 4.5, "between two values"),
):
    way(f"ods-{id_}", f"entered {value!r}, saved as .ods", _typed("score", "f1", value, as_ods), {"f1": None},
        problems=[("score:f1", words)], file="A1.ods")


def _ods_raw(xml: str) -> Make:
    return lambda f: as_ods(f.grid(), {(f.rows["f1"], f.keys["score"]): xml})


for id_, xml, words in (
    ("percent", 'office:value-type="percentage" office:value="4"', "a percentage"),
    ("formula", 'table:formula="of:=2+2" office:value-type="float" office:value="4"', "a formula"),
    ("time", 'office:value-type="time" office:time-value="PT04H00M00S"', "date or time"),
):
    way(f"ods-{id_}", f"{id_} as score, saved as .ods", _ods_raw(ods_cell(xml, "4")), {"f1": None},
        problems=[("score:f1", words)], file="A1.ods")
way("xls", "saved as .xls", lambda f: as_xls(f.grid()), file="A1.xls")
way("xls-true", "entered true, saved as .xls", _typed("score", "f1", True, as_xls), {"f1": None},
    problems=[("score:f1", "true/false")], file="A1.xls")


def _macros(filled: Filled) -> bytes:
    data = replaced(filled.data(), "[Content_Types].xml", "sheet.main+xml", "sheet.macroEnabled.main+xml")
    return zipped(parts_of(data) | {"xl/vbaProject.bin": ole({"VBA": b"x"})})


way("xlsm", "saved with macros", _macros, file="A1.xlsm")
way("xlsx-called-csv", "gave it another ending", lambda f: None, file="A1.csv")
way("csv-called-xlsx", "gave a CSV the ending .xlsx", lambda f: as_csv(f.grid(), ";"), file="A1.xlsx")
way("zip", "packed it", lambda f: zipped({"pasta/A1.xlsx": f.data(), "__MACOSX/._A1.xlsx": b"x"}), file="A1.zip")
way("zip-with-letter", "packed it with a letter", lambda f: zipped({"A1.ods": as_ods(f.grid()), "carta.txt": b"Oi!"}),
    file="respostas.zip", warnings=["carta.txt"])
unread("password", "set a password", lambda f: ole({"EncryptedPackage": b"x" * 99, "EncryptionInfo": b"\4\0\4\0"}),
       "protected by a password")
unread("cut-off", "the copying stopped", lambda f: f.data()[:-3000], "incomplete or damaged")
unread("empty-file", "the copying did not begin", lambda f: b"", "is empty")
unread("pdf", "printed it into a file", lambda f: b"%PDF-1.7\n", "is a PDF", "A1.pdf")
unread("web-page", "saved it as a web page called .xls", lambda f: b"<html><table><tr><td>4", "is a web page", "A1.xls")
unread("empty-zip", "packed nothing", lambda f: zipped({"leia.txt": b"Oi!"}), "no sheet in it", "A1.zip",
       warnings=["leia.txt"])
unread("foreign-workbook", "sent some other workbook", lambda f: zipped(xlsx_parts(row('<c r="A1"><v>4</v></c>'))),
       "no annotation sheet")
