"""Writes the pictures of ``docs/explain``: pages of the recordings that the tests keep, as Chromium shows them.

    python tools/gallery.py [--recordings]

Each is drawn in 64 colours, which keeps it under 60 KB. To be run, and looked at, after a change to what pages look like; with
--recordings the programs run anew first, after a change to what is recorded.
"""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from rushlight.explain import page

ROOT = Path(__file__).resolve().parents[1]
RECORDINGS = ROOT / "tests" / "explain" / "recordings"
PICTURES = ROOT / "docs" / "explain"
DESK, TALL, PHONE = (1280, 760), (1280, 890), (390, 844)
COLOURS = 64

# The step, the language, dark or light, the size, and what the page is scrolled to.
SHOWN = {
    "tutorial": (8, "en", "light", TALL, ""),
    "tutorial.zh": (8, "zh", "light", TALL, ""),
    "jacobian": (13, "zh", "dark", DESK, ""),
    "training": (12, "en", "light", DESK, ""),
    "rounds": (16, "en", "light", DESK, ""),
    "nones": (21, "en", "light", DESK, ".below"),
    "twice": (25, "zh", "light", DESK, ""),
    "hooks": (14, "en", "dark", DESK, ""),
    "weights": (8, "zh", "dark", PHONE, ""),
}


def picture(browser: Browser, file: Path, step: int, lang: str, scheme: str, size: tuple[int, int], scrolled: str) -> bytes:
    """One page at one step as a PNG of few colours."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
    )
    tab = context.new_page()
    tab.goto(f"{file.as_uri()}#step={step}")
    tab.check(f"#lang-{lang}")
    tab.evaluate("document.activeElement.blur()")
    tab.evaluate("to => to ? document.querySelector(to).scrollIntoView({block: 'end'}) : scrollTo(0, 0)", scrolled)
    drawn = Image.open(io.BytesIO(tab.screenshot())).convert("RGB").quantize(COLOURS)
    context.close()
    out = io.BytesIO()
    drawn.save(out, "PNG", optimize=True)
    return out.getvalue()


def renew(folder: Path) -> None:
    """Runs the programs of the recordings again."""
    for file in sorted(RECORDINGS.glob("*.json")):
        recording = json.loads(file.read_text(encoding="utf-8"))
        (folder / f"{file.stem}.py").write_text("\n".join(recording["sources"][0]["lines"]) + "\n", encoding="utf-8")
        command = [sys.executable, "-m", "rushlight", "explain", "-o", str(file), f"{file.stem}.py"]
        subprocess.run(command, cwd=folder, capture_output=True)
        file.write_text(file.read_text(encoding="utf-8").replace(str(folder), "/home/me"), encoding="utf-8")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        if "--recordings" in sys.argv[1:]:
            renew(Path(folder))
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"])
        for name, how in SHOWN.items():
            file = Path(folder) / f"{name}.html"
            recording = json.loads((RECORDINGS / f"{name.partition('.')[0]}.json").read_text(encoding="utf-8"))
            file.write_text(page.render(recording), encoding="utf-8")
            (PICTURES / f"{name}.png").write_bytes(picture(browser, file, *how))
        browser.close()


if __name__ == "__main__":
    main()
