"""What LibreOffice makes of a workbook's formulas when it cannot trust the values stored with them."""

from __future__ import annotations

import io
import shutil
import subprocess
from pathlib import Path

import openpyxl
import pytest


def recalculate(data: bytes, folder: Path) -> openpyxl.Workbook:
    """Return the workbook as LibreOffice calculates it; openpyxl drops the stored values on the way."""
    soffice = shutil.which("soffice")
    if soffice is None:
        pytest.skip("LibreOffice is not installed")
    bare, done = folder / "bare.xlsx", folder / "done"
    openpyxl.load_workbook(io.BytesIO(data)).save(bare)
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = [soffice, profile, "--headless", "--norestore", "--convert-to", "xlsx", "--outdir", str(done), str(bare)]
    subprocess.run(command, check=True, capture_output=True, timeout=180)
    return openpyxl.load_workbook(done / "bare.xlsx", data_only=True)
