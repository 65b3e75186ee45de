"""Bring the translation catalogues up to date with the messages in the code and the templates.

python scripts/messages.py          update templates/locale/*.po; new messages are left untranslated
python scripts/messages.py fr       the same, and begin a catalogue for another language
python scripts/messages.py --check  exit 1 when a catalogue is not up to date or a message has no translation
"""

import io
import sys
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
LOCALE = ROOT / "templates" / "locale"
# Written by hand: Babel's own header holds the time of day.
HEADER = """# {language} messages of toolkit. Bring up to date with scripts/messages.py.
msgid ""
msgstr ""
"Language: {locale}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: {plurals}\\n"

"""
KEYWORDS = {"_": None, "plural": (1, 2)}
METHODS = [("toolkit/**.py", "python"), ("templates/report/**.html", "jinja2.ext:babel_extract")]


def messages() -> Catalog:
    """Return every message in the code and the templates."""
    found = Catalog(charset="utf-8", fuzzy=False)
    for folder in ("toolkit", "templates/report"):
        methods = [(pattern.removeprefix(folder + "/"), method) for pattern, method in METHODS]
        options = {"**.html": {"trimmed": "true", "silent": "false"}}
        for path, _line, message, comments, context in extract_from_dir(
            ROOT / folder, methods, options, keywords=KEYWORDS
        ):
            found.add(message, None, [(f"{folder}/{path}", 0)], auto_comments=comments, context=context)
    return found


def updated(language: str, template: Catalog) -> tuple[bytes, Catalog]:
    """Return the catalogue of a language with exactly today's messages, as bytes and parsed."""
    path = LOCALE / f"{language}.po"
    locale = language.replace("-", "_")
    catalog = read_po(io.BytesIO(path.read_bytes() if path.exists() else b""), locale=locale)
    header = HEADER.format(language=language, locale=locale, plurals=catalog.plural_forms).encode()
    catalog.update(template, no_fuzzy_matching=True)
    catalog.obsolete.clear()
    buffer = io.BytesIO()
    buffer.write(header)
    write_po(buffer, catalog, width=116, omit_header=True, sort_output=True, ignore_obsolete=True, include_lineno=False)
    return buffer.getvalue(), catalog


def main() -> int:
    template, check, wrong = messages(), "--check" in sys.argv, 0
    new = {argument for argument in sys.argv[1:] if argument != "--check"}
    for language in sorted({path.stem for path in LOCALE.glob("*.po")} | new):
        data, catalog = updated(language, template)
        missing = [m for m in catalog if m.id and (m.fuzzy or not all(m.string if m.pluralizable else [m.string]))]
        path = LOCALE / f"{language}.po"
        stale = not path.exists() or path.read_bytes() != data
        if check:
            wrong += stale or bool(missing)
        else:
            path.write_bytes(data)
        print(f"{language}: {len(catalog)} messages, {len(missing)} without translation{', out of date' * stale}")
        for message in missing[:10]:
            print("   ", message.id)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
