"""Makes docs/gallery.md: pictures of reports of the bundled Lattice-Boltzmann program, by a headless Chromium.

    make demo && make gallery

What `make demo` left in build/demo is shown; the roofline and the scaling study are run here. Without Chromium, its
driver or the demo's runs it says so, with exit status 2.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TOP), str(TOP / "tests" / "browser")]

from webdriver import Browser  # noqa: E402

DEMO = TOP / "build" / "demo"
PAGE, PICTURES = TOP / "docs" / "gallery.md", TOP / "docs" / "gallery"
WIDTH, HEIGHT = 1100, 1400
RANKS = "2,3,4,6,8"


@dataclass(frozen=True)
class Shot:
    """One picture: an element of a page. `script` is done in the page before."""

    name: str
    page: str
    selector: str
    title: str
    text: str
    script: str = ""


def chart(name: str) -> str:
    """The section around a chart of a report."""
    return f"section.picture:has([data-chart={name}])"


SHOTS = (
    Shot(
        "verdict", "report", "body",
        "The first page", "Where the time went, what spoils it, what to do first, and the findings with their places.",
        "window.scrollTo(0, 0)",
    ),
    Shot(
        "timeline", "report", chart("timeline"),
        "Timeline", "What each rank is at; drag to zoom. The calls of a finding can be marked.",
    ),
    Shot("matrix", "report", chart("matrix"), "Who sends to whom", "Bytes by sender and receiver."),
    Shot("sizes", "report", chart("sizes"), "Sizes of messages", "How many there are, and the bytes that they carry."),
    Shot("waiting", "report", chart("waiting"), "Waiting", "By rank and call site, and who is waited for."),
    Shot("paths", "report", chart("paths"), "Call tree", "Who calls MPI, and how long the ranks are in it."),
    Shot(
        "roofline", "roofline", chart("roofline"),
        "[Roofline](roofline.md)", "Each loop between the ceilings of the machine, from a simulated run.",
    ),
    Shot(
        "waterfall", "waterfall", "body",
        "[Waterfall](improve.md)", "What `stridewise improve` did to the program, step by step, measured.",
    ),
    Shot(
        "scaling", "scale", "body",
        "[Scaling](scale.md)", "What each line will take on 4,096 ranks, from runs on eight at most.",
    ),
)  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", metavar="DIR", type=Path, help="keep the HTML pages there")
    options = parser.parse_args()
    driver, chromium = shutil.which("chromedriver"), shutil.which("chromium")
    if driver is None or chromium is None:
        return refused("Chromium and its driver are not installed (Debian: chromium chromium-driver)")
    if not (DEMO / "original" / "mpi" / "run.json").is_file():
        return refused(f"{DEMO} has no runs; call make demo first")
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.pages or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        pages = made(folder)
        PICTURES.mkdir(exist_ok=True)
        with Browser(driver, chromium, Path(scratch) / "profile", (WIDTH, HEIGHT)) as browser:
            for shot in SHOTS:
                taken(browser, shot, pages[shot.page])
    PAGE.write_text(text(), encoding="utf-8")
    print(f"gallery: {len(SHOTS)} pictures in {PICTURES}, shown by {PAGE}")
    return 0


def refused(why: str) -> int:
    print(f"gallery: {why}", file=sys.stderr)
    return 2


def made(folder: Path) -> dict[str, Path]:
    """The HTML pages, by name."""
    original, lbm = DEMO / "original", DEMO / "lbm"
    pages = {name: folder / f"{name}.html" for name in ("report", "roofline", "scale", "waterfall")}
    runs = [original / "mpi", original / "cache"]
    stridewise(["report", *runs, "--lint", original / "lint.json", "--format", "html", "-o", pages["report"]])
    program: list[str | Path] = ["mpirun", "-n", "4", original / "lbm", lbm / "config-small.txt"]
    roof, machine = folder / "roofline-run", folder / "machine.json"
    stridewise(["calibrate", "--only", "memory", "--quick", "-o", machine])
    os.environ["STRIDEWISE_MACHINE"] = str(machine)
    stridewise(["run", "--cache", "--roofline", "-q", "-o", roof, "--", *program])
    stridewise(["report", roof, "--format", "html", "-o", pages["roofline"]])
    scaled: list[str | Path] = ["mpirun", "-n", "{n}", original / "lbm", lbm / "config-small.txt"]
    words: list[str | Path] = ["scale", "-n", RANKS, "--target", "4096", "-o", folder / "study", "--format", "html"]
    words += ["--plot", PICTURES / "scaling-plot.png"]
    pages["scale"].write_text(stridewise([*words, "--", *scaled]), encoding="utf-8")
    shutil.copy(DEMO / "start" / "stridewise-improve" / "waterfall.html", pages["waterfall"])
    return pages


def stridewise(words: Sequence[str | Path]) -> str:
    """What the command prints; its messages go on."""
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} if os.geteuid() == 0 else {}
    many = {"OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
    command = [TOP / "build" / "bin" / "stridewise", *words]
    return subprocess.run(
        command, cwd=DEMO, env={**os.environ, **root, **many}, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def taken(browser: Browser, shot: Shot, page: Path) -> None:
    browser.open(page)
    if said := browser.messages():
        raise SystemExit(f"gallery: {page.name} complains: {said[0]}")
    if shot.script:
        browser.run(shot.script)
    target = PICTURES / f"{shot.name}.png"
    if shot.selector == "body":
        browser.picture(target)
    else:
        browser.run(f"document.querySelector({shot.selector!r}).scrollIntoView()")
        browser.picture(target, shot.selector)


def text() -> str:
    lines = [
        "# Gallery",
        "",
        "The bundled Lattice-Boltzmann program, as its HTML reports show it: one file each, without a network. Made by",
        "",
        "    make demo && make gallery",
    ]
    for shot in SHOTS:
        bare = shot.title.partition("]")[0].lstrip("[")
        lines += ["", f"## {shot.title}", "", shot.text, "", f"![{bare}](gallery/{shot.name}.png)"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
