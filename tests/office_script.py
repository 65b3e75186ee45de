"""Run by the system's Python, which has LibreOffice's UNO bridge: opens files in a headless LibreOffice and does to
them what a person would.

    python3 office_script.py PORT < request.json > answer.json

A request is {"open": path, "do": [[verb, arguments...], ...]}; the answer lists what each verb returned.
"""

import json
import os
import sys
import time

import uno
from com.sun.star.beans import PropertyValue

FILTERS = {"xlsx": "Calc MS Excel 2007 XML", "ods": "calc8", "csv": "Text - txt - csv (StarCalc)", "xls": "MS Excel 97"}
FILTERS |= {"html": "HTML (StarCalc)", "pdf": "calc_pdf_Export"}
TENTH_MM_PER_POINT = 2540 / 72


def connect(port):
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    deadline = time.monotonic() + 60
    while True:
        try:
            return resolver.resolve(f"uno:socket,host=127.0.0.1,port={port};urp;StarOffice.ComponentContext")
        except Exception:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def prop(name, value):
    made = PropertyValue()
    made.Name, made.Value = name, value
    return made


def optimal_heights(document, sheet, widths=None):
    """Return [height as stored, height LibreOffice needs], in points, of each used row.

    `widths` are the columns' pixels as Excel has them; LibreOffice makes columns of an .xlsx 7% wider.
    """
    for place, pixels in enumerate(widths or []):
        if pixels:
            document.Sheets.getByIndex(sheet).Columns.getByIndex(place).Width = round(pixels * 2540 / 96)
    rows, found = document.Sheets.getByIndex(sheet).Rows, []
    cursor = document.Sheets.getByIndex(sheet).createCursor()
    cursor.gotoEndOfUsedArea(False)
    for place in range(cursor.RangeAddress.EndRow + 1):
        row = rows.getByIndex(place)
        stored = row.Height
        row.OptimalHeight = True
        found.append([stored / TENTH_MM_PER_POINT, row.Height / TENTH_MM_PER_POINT])
    return found


def type_in(document, sheet, cells):
    """Enter {address: text} as a person types: LibreOffice decides what it is."""
    for address, text in cells.items():
        document.Sheets.getByIndex(sheet).getCellRangeByName(address).setFormula(text)


def enter(document, sheet, cells):
    """Enter {address: text} as a person of the locale types: decimals and dates are those of the locale."""
    for address, text in cells.items():
        document.Sheets.getByIndex(sheet).getCellRangeByName(address).FormulaLocal = text


def paste(document, sheet, cells):
    """Put {address: text} into cells as texts, whatever they look like, as pasting does."""
    for address, text in cells.items():
        document.Sheets.getByIndex(sheet).getCellRangeByName(address).String = text


def overwrite(document, sheet, cells):
    """Put {address: text} into cells that are locked, after taking the protection away."""
    document.Sheets.getByIndex(sheet).unprotect("")
    paste(document, sheet, cells)


def press(document, sheet, start, command, times):
    """Give a command so many times, beginning in a cell, as its key does; return the cells it led to."""
    context, controller = connect(sys.argv[1]), document.CurrentController
    controller.setActiveSheet(document.Sheets.getByIndex(sheet))
    dispatcher = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.DispatchHelper", context)
    # going there, where selecting would keep the cell selected while the cursor moves on
    dispatcher.executeDispatch(controller.Frame, ".uno:GoToCell", "", 0, (prop("ToPoint", start),))
    found = []
    for _time in range(times):
        dispatcher.executeDispatch(controller.Frame, command, "", 0, ())
        found.append(document.CurrentSelection.AbsoluteName.split(".")[-1].replace("$", "").split(":")[0])
    return found


def merged_heights(document, sheet, ranges):
    """Return [height there is, height LibreOffice needs], in points, of each merged range.

    LibreOffice knows no best height of a merged range, so each text is put into a single cell as wide as the range.
    """
    source = document.Sheets.getByIndex(sheet)
    document.Sheets.insertNewByName("scratch", document.Sheets.Count)
    scratch = document.Sheets.getByName("scratch")
    columns, found = {}, []
    for row, name in enumerate(ranges):
        area = source.getCellRangeByName(name)
        width, cell = sum(column.Width for column in area.Columns), area.getCellByPosition(0, 0)
        if width not in columns:
            columns[width] = len(columns)
            scratch.Columns.getByIndex(columns[width]).Width = width
        copy = scratch.getCellByPosition(columns[width], row)
        copy.String = cell.String
        for name in ("CharFontName", "CharHeight", "CharWeight"):
            setattr(copy, name, getattr(cell, name))
        copy.IsTextWrapped = True
        scratch.Rows.getByIndex(row).OptimalHeight = True
        needed = scratch.Rows.getByIndex(row).Height
        found.append([sum(r.Height for r in area.Rows) / TENTH_MM_PER_POINT, needed / TENTH_MM_PER_POINT])
    document.Sheets.removeByName("scratch")
    return found


def validations(document, sheet, addresses):
    """Return [kind, formula, whether other values are refused, title and text of the message] of each cell."""
    found = []
    for address in addresses:
        rule = document.Sheets.getByIndex(sheet).getCellRangeByName(address).Validation
        refused = rule.ShowErrorMessage and rule.ErrorAlertStyle.value == "STOP"
        found.append([rule.Type.value, rule.getFormula1(), refused, rule.InputTitle, rule.InputMessage])
    return found


def values(document, sheet, addresses):
    """Return text and number of cells after recalculation."""
    document.calculateAll()
    cells = [document.Sheets.getByIndex(sheet).getCellRangeByName(address) for address in addresses]
    return [[cell.String, cell.Value, cell.getError()] for cell in cells]


def save(document, path, kind, options=""):
    """Save a copy in another format."""
    arguments = [prop("FilterName", FILTERS[kind])]
    if options:
        arguments.append(prop("FilterOptions", options))
    document.storeToURL(uno.systemPathToFileUrl(path), tuple(arguments))


def describe(document, properties):
    """Set properties of the document: Author, ModifiedBy, PrintedBy, Title... and others of one's own."""
    about = document.DocumentProperties
    for name, value in properties.items():
        if hasattr(about, name):
            setattr(about, name, value)
        else:
            about.UserDefinedProperties.addProperty(name, 0, value)


def comment(document, sheet, address, text):
    """Put a comment on a cell, after taking the protection away, as people do who comment."""
    raw = document.Sheets.getByIndex(sheet)
    raw.unprotect("")
    raw.Annotations.insertNew(raw.getCellRangeByName(address).CellAddress, text)


def locked(document, sheet, addresses):
    """Return whether the sheet is protected, and each cell locked."""
    raw = document.Sheets.getByIndex(sheet)
    return [raw.isProtected(), [raw.getCellRangeByName(a).CellProtection.IsLocked for a in addresses]]


def only(document, sheet):
    """Take away all other sheets."""
    names = document.Sheets.ElementNames
    for name in names:
        if name != names[sheet]:
            document.Sheets.removeByName(name)


VERBS = {
    verb.__name__: verb
    for verb in (
        comment, describe, enter, locked, merged_heights, only, optimal_heights, overwrite, paste, press, save, type_in,
        validations, values
    )
}  # fmt: skip


def main():
    request = json.load(sys.stdin)
    context = connect(sys.argv[1])
    desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
    document = desktop.loadComponentFromURL(
        uno.systemPathToFileUrl(request["open"]), "_blank", 0, (prop("Hidden", True),)
    )
    try:
        json.dump([VERBS[verb](document, *arguments) for verb, *arguments in request["do"]], sys.stdout)
    finally:
        document.close(True)
    sys.stdout.flush()
    # the bridge's own threads now and then crash a Python that ends in the usual way
    os._exit(0)


main()
