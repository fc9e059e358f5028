# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report, opened in a real browser that has no network: its figures are those of `vitc tune --json`."""
import html.parser
import re

from PIL import Image

from harness import *

database, page, screenshot = scratch / "report.sqlite", scratch / "report.html", scratch / "report.png"
figures = tune("--db", database, "--trials", 40, "--report", page)
source = page.read_text()
assert not re.search(r"https?://|<script|<link|@import|url\(", source), "the page fetches or runs something"

browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
assert browser, "Chromium is missing: tools/setup --tests installs it"
command = [browser, "--headless=new", "--disable-gpu", "--no-sandbox", "--hide-scrollbars", "--no-first-run",
           "--proxy-server=127.0.0.1:9", "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={scratch}/browser"]
run = lambda *options: subprocess.run([*command, *options, page.as_uri()], capture_output=True, text=True, timeout=120, check=True)
document = run("--dump-dom").stdout


class Figures(html.parser.HTMLParser):
    """Name to (exact value, text) of each figure in the document that the browser has made of the page."""
    found, current = {}, None

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if "data-figure" in attributes:
            self.current = attributes["data-figure"]
            self.found[self.current] = [float(attributes["data-value"]), ""]

    def handle_data(self, data):
        if self.current:
            self.found[self.current][1] += data

    def handle_endtag(self, tag):
        if tag == "span":
            self.current = None


parser = Figures()
parser.feed(document)
assert len(parser.found) > 8 * len(figures["kernels"]), len(parser.found)
for name, (value, text) in parser.found.items():
    expected = figures
    for part in name.split("."):
        expected = expected[int(part)] if isinstance(expected, list) else expected[part]
    assert abs(value - expected) <= 1e-9 * abs(expected), (name, value, expected)
    # And people are shown the same, in their units.
    shown = float(re.match(r"[\d.]+", text).group())
    scale = 100 if "%" in text else 1e6 if "µs" in text else 1e3 if " ms" in text else 1e-9 if "GFLOP" in text else 1
    assert abs(shown - expected * scale) <= 0.51 * 10 ** -len(text.partition(".")[2].rstrip("%×µGFLOP/s m")), (name, text, expected)
for kernel in figures["kernels"]:
    assert kernel["name"] in document and kernel["schedule_in_words"] in document, kernel["name"]
# Marks of an axis tell values apart, also where nothing improved.
labels = re.findall(r"<text[^>]*>([\d.]+(?: ms)?)</text>", source)
assert len(labels) > 6 and len(labels) == len(set(labels)), labels
print(f"ok {len(parser.found)} figures agree")

run(f"--screenshot={screenshot}", "--window-size=1100,1800")
image = Image.open(screenshot).convert("RGB")
colours = image.getcolors(1 << 24)
assert image.width == 1100 and len(colours) > 50, "the page looks empty"
share = {colour: count / (image.width * image.height) for count, colour in colours}
assert share.get((0x1f, 0x6f, 0xeb), 0) > 5e-4, "there are no bars and no curve"
if len(sys.argv) > 2:
    shutil.copy(screenshot, sys.argv[2])
print("ok the browser shows it")
