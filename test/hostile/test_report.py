# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hostile names in a tuning session and its database: the report has the elements of a benign one, and JSON and terminal hold."""
import html.parser
import sqlite3

from hostile import *


class Structure(html.parser.HTMLParser):
    """Elements with the names of their attributes, and the text between them."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.elements, self.text = [], ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        kept = {name: value for name, value in attributes if name in ("data-figure", "class", "http-equiv")}
        self.elements.append((tag, sorted(name for name, _ in attributes), sorted(kept.items())))

    def handle_endtag(self, tag):
        self.elements.append("/" + tag)

    def handle_data(self, data):
        self.text += data

    def handle_comment(self, data):
        self.elements.append("comment")

    def handle_pi(self, data):
        self.elements.append("instruction")


os.environ["VITC_CACHE_DIR"] = str(scratch / "cache")
database, page = scratch / "tune.sqlite", scratch / "report.html"


def render():
    vitc("tune", "--db", database, "--report", page, "--quiet")
    assert_terminal_safe(vitc("tune", "--db", database, "--report", page))
    json.loads(vitc("tune", "--db", database, "--json").stdout)
    text = page.read_bytes().decode()  # UTF-8
    assert not {c for c in text if ord(c) < 32 and c not in "\n\t"}
    return Structure(text)


# A session on a model whose folder is called like an attack.
model = os.path.join(os.fsencode(scratch), file_name("</title><script>alert(1)</script>\"'\x1b[31m\n&lt;"))
shutil.copytree(ROOT / "models" / "vit-fashion-mnist", os.fsdecode(model))
done = vitc("tune", model, "--db", database, "--trials", "6", "--report", page)
assert_terminal_safe(done)
own = Structure(page.read_text())
assert "alert(1)" in own.text

connection = sqlite3.connect(database)


def set_texts(text, blob=False):
    value = sqlite3.Binary(text) if blob else text
    cast = "CAST(? AS TEXT)" if blob else "?"
    for column in ("model", "machine", "command", "cpu", "target"):
        connection.execute(f"UPDATE sessions SET {column} = {cast}", (value,))
    options = json.loads(connection.execute("SELECT options FROM sessions").fetchone()[0])
    shown = text.decode(errors="replace") if blob else text
    options["not_tuned"] = {f"{shown} {i}": shown for i in range(2)}
    connection.execute("UPDATE sessions SET options = ?", (json.dumps(options),))
    connection.commit()


set_texts("benign")
expected = render()
assert len(expected.elements) > 100 and expected.text.count("benign") > 5
assert [e for e in expected.elements if e[0] == "script"] == []
for text in PLAIN:
    set_texts(text)
    found = render()
    assert found.elements == expected.elements, text
    assert text.replace("\u202e", "\ufffd").replace("\u2066", "\ufffd").replace("\u2028", "\ufffd") in found.text, text
for text in ANY:
    set_texts(text, blob=True)
    assert render().elements == expected.elements, text
# A kernel's name is an identifier: rows with another one are passed over, and leave nothing in the page.
set_texts("benign")
for text in PLAIN:
    connection.execute("UPDATE kernels SET name = ? || id", (text,))
    connection.commit()
    found = render()
    assert all(element in expected.elements for element in found.elements), text
    assert text.isidentifier() or text not in found.text, text
print(f"ok {len(PLAIN + ANY)} texts in a report of {len(expected.elements)} tags")
