"""A machine with two memory nodes: QEMU with Debian's cloud kernel and an initial RAM disk of a few programs.

It boots in some seconds, runs one shell script, and what that prints on the console comes back. Now and then a machine
stops in its firmware, at full load of the host above all: one that has not come to its script in time is started again.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

BOOT_SECONDS = 60.0  # a boot takes 2 to 5
STARTS = 3
_SECONDS = 600.0  # of the script
_BEGIN, _END = "=== begin ===", "=== end ==="
_INIT = f"""#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev 2>/dev/null
mkdir -p /tmp
cd /tmp
echo '{_BEGIN}'
. /script
echo '{_END}'
poweroff -f
"""


def why_not() -> str:
    """What is missing, empty if it can run."""
    if shutil.which("qemu-system-x86_64") is None:
        return "qemu-system-x86_64 is not installed"
    if kernel() is None:
        return "there is no kernel: scripts/bootstrap.sh fetches build/kernel/vmlinuz-*-cloud-amd64"
    if not _is_static(Path(shutil.which("busybox") or "/nonexistent")):
        return "busybox is not installed, or not static (busybox-static)"
    return ""


def kernel() -> Path | None:
    """The kernel that scripts/bootstrap.sh has fetched, or one that is installed."""
    folders = (Path(__file__).resolve().parents[2] / "build" / "kernel", Path("/boot"))
    for path in (p for folder in folders for p in sorted(folder.glob("vmlinuz-*-cloud-amd64"), reverse=True)):
        try:
            with path.open("rb") as file:
                file.read(1)
            return path
        except OSError:
            continue
    return None


def _is_static(path: Path) -> bool:
    if not path.is_file():
        return False
    done = subprocess.run(["ldd", str(path)], capture_output=True, text=True, check=False)
    return "=>" not in done.stdout


def libraries(*programs: Path) -> dict[str, Path]:
    """What the loader takes for these programs, by the place where it looks."""
    found: dict[str, Path] = {}
    for program in programs:
        done = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=True)
        for match in re.finditer(r"(?:=> )?(/\S+) \(0x", done.stdout):
            found[match[1]] = Path(match[1]).resolve()
    return found


def _entry(name: str, mode: int, data: bytes, number: int) -> bytes:
    """One file of a cpio archive in the "newc" format, which the kernel reads."""
    encoded = name.lstrip("/").encode() + b"\0"
    fields = [number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(encoded), 0]
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + encoded
    head += b"\0" * (-len(head) % 4)
    return head + data + b"\0" * (-len(data) % 4)


def archive(files: Mapping[str, Path | bytes], target: Path) -> None:
    """Executable files at these paths, with the folders above them."""
    folders = sorted({str(p) for name in files for p in Path(name).parents if str(p) not in ("/", ".")})
    parts = [_entry(folder, 0o40755, b"", i) for i, folder in enumerate([*folders, "/proc", "/sys", "/dev"], 1)]
    for number, (name, source) in enumerate(files.items(), 1000):
        parts.append(_entry(name, 0o100755, source if isinstance(source, bytes) else source.read_bytes(), number))
    parts.append(_entry("TRAILER!!!", 0, b"", 0))
    target.write_bytes(b"".join(parts))


def run(files: Mapping[str, Path | bytes], script: str, folder: Path, memory_mib: int = 1024) -> str:
    """What the script prints on four processors, two on each of two nodes."""
    busybox, image = Path(shutil.which("busybox") or "busybox"), kernel()
    assert image is not None
    ram_disk = folder / "ramdisk.cpio"
    everything: dict[str, Path | bytes] = {"/bin/busybox": busybox, "/init": _INIT.encode(), "/script": script.encode()}
    archive({**everything, **files}, ram_disk)
    half = memory_mib // 2
    nodes: Sequence[str] = [
        word
        for node in (0, 1)
        for word in (
            *("-object", f"memory-backend-ram,id=m{node},size={half}M"),
            *("-numa", f"node,nodeid={node},memdev=m{node},cpus={2 * node}-{2 * node + 1}"),
        )
    ]
    command = [
        "qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "4,sockets=2,cores=2,threads=1",
        "-m", f"{memory_mib}M", *nodes, "-kernel", str(image), "-initrd", str(ram_disk), "-nographic", "-no-reboot",
        "-nodefaults", "-serial", "stdio", "-append", "console=ttyS0 quiet panic=-1 mitigations=off",
    ]  # fmt: skip
    text = console(command, folder)
    return text.split(_BEGIN, 1)[1].split(_END, 1)[0].strip("\n")


def console(command: Sequence[str], folder: Path, boot_seconds: float = BOOT_SECONDS, starts: int = STARTS) -> str:
    """What the machine prints, to the end of its script. Raises RuntimeError that shows the console's end: if it does
    not come to its script by that time in any of its starts, or, without a further start, not to the end of it."""
    tails: list[str] = []
    for _ in range(starts):
        text, booted = _start(command, folder, boot_seconds)
        if booted and _END in text:
            return text
        tails.append(text[-2000:])
        if booted:
            raise RuntimeError(
                f"the machine did not come to the end of its script; its console ends with:\n{tails[-1]}"
            )
    shown = "\n".join(f"start {number}, the console's end:\n{tail}" for number, tail in enumerate(tails, 1))
    raise RuntimeError(f"the machine did not boot within {boot_seconds:g} s in {starts} starts\n{shown}")


def _start(command: Sequence[str], folder: Path, boot_seconds: float) -> tuple[str, bool]:
    """The console of one start, and whether the machine has come to its script."""
    log = folder / "console"
    begin, booted = time.monotonic(), False
    with log.open("wb") as output:
        machine = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        try:
            while machine.poll() is None:
                booted = booted or _BEGIN in _printed(log)
                if time.monotonic() - begin > (_SECONDS if booted else boot_seconds):
                    break
                time.sleep(0.1)
        finally:
            machine.kill()
            machine.wait()
    text = _printed(log)
    return text, _BEGIN in text


def _printed(log: Path) -> str:
    return log.read_bytes().decode("utf-8", "replace").replace("\r", "")
