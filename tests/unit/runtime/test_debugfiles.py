"""Where debug information apart from its program is looked for, in which order, and what is believed."""

from __future__ import annotations

import zlib
from pathlib import Path
from subprocess import PIPE, run
from tempfile import TemporaryDirectory

import pytest

from dof.elf import SHT_PROGBITS, ElfFile
from runtime.programs import debugfiles

IDENTITY = "0123456789abcdef0123456789abcdef01234567"
BY_ID = f"/usr/lib/debug/.build-id/{IDENTITY[:2]}/{IDENTITY[2:]}.debug"
BESIDE, BELOW, SYSTEM = "/opt/shop.debug", "/opt/.debug/shop.debug", "/usr/lib/debug/opt/shop.debug"
RIGHT, WRONG = b"what the link's checksum is of", b"another"


class Files:
    """Files by their paths; `asked` are those that were looked for, in order."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.asked: list[str] = []

    def read(self, path: str) -> bytes | None:
        self.asked.append(path)
        return self.files.get(path)


@pytest.fixture(scope="module", params=[("-m64", True), ("-m64", False), ("-m32", True)], ids=str)
def stripped(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bool]:
    """A library without symbols and with a debug link; whether it has a build ID, too."""
    (bits, identified), folder = request.param, tmp_path_factory.mktemp("stripped")
    identity = f"--build-id=0x{IDENTITY}" if identified else "--build-id=none"
    (folder / "shop.debug").write_bytes(RIGHT)
    made = run(["gcc", bits, "-xc", "-", "-shared", "-fPIC", "-nostdlib", "-s", f"-Wl,{identity}", "-o",
                "shop"], input=b"int stock;", cwd=folder, check=False, stderr=PIPE)
    if made.returncode:
        pytest.skip(f"no compiler with {bits}: what is found of its programs")
    run(["objcopy", "--add-gnu-debuglink=shop.debug", "shop"], cwd=folder, check=True)
    return (folder / "shop").read_bytes(), identified


@pytest.mark.parametrize(("files", "found", "searched"), [
    ({BY_ID: WRONG, BESIDE: RIGHT}, BY_ID, 1),  # what has the right name there needs no checksum
    ({BESIDE: RIGHT, BELOW: RIGHT, SYSTEM: RIGHT}, BESIDE, 2),
    ({BESIDE: WRONG, BELOW: RIGHT}, BELOW, 3),
    ({BESIDE: WRONG, BELOW: WRONG, SYSTEM: RIGHT}, SYSTEM, 4),
    ({BESIDE: WRONG, SYSTEM: b""}, None, 4), ({}, None, 4)])
def test_places(files: dict[str, bytes], found: str | None, searched: int,
                stripped: tuple[bytes, bool]) -> None:
    data, identified = stripped
    disk = Files(files)
    assert disk.files.get(found or "") == (
        debugfiles.separate(ElfFile(data), "/opt/shop", disk.read) if identified or found != BY_ID else WRONG)
    if identified:
        assert disk.asked == [BY_ID, BESIDE, BELOW, SYSTEM][:searched]
    elif found != BY_ID:
        assert disk.asked == [BESIDE, BELOW, SYSTEM][:searched - 1]


def test_a_whole_file_needs_no_other(tmp_path: Path) -> None:
    """One that lacks symbols or debug information does."""
    def sought(*flags: str) -> list[str]:
        run(["gcc", "-xc", "-", "-shared", "-nostdlib", f"-Wl,--build-id=0x{IDENTITY}", *flags, "-o", "shop"],
            input=b"int stock;", cwd=tmp_path, check=True)
        disk = Files({BY_ID: RIGHT})
        found = debugfiles.separate(ElfFile((tmp_path / "shop").read_bytes()), "/opt/shop", disk.read)
        assert found == (RIGHT if disk.asked else None)
        return disk.asked

    assert [sought("-g"), sought(), sought("-s")] == [[], [BY_ID], [BY_ID]]


def with_section(name: str, contents: bytes) -> ElfFile:
    with TemporaryDirectory() as folder:
        run(["gcc", "-xc", "-", "-c", "-o", "shop.o"], input=b"int stock;", cwd=folder, check=True)
        elf = ElfFile(Path(folder, "shop.o").read_bytes())
    elf.add_section(name, SHT_PROGBITS, contents)
    return ElfFile(elf.save())


@pytest.mark.parametrize(("name", "files", "found"), [
    ("common.dwz", {"/opt/common.dwz": b"1", BY_ID: b"2"}, b"1"),
    ("../common.dwz", {"/opt/../common.dwz": b"3"}, b"3"),
    ("/all/common.dwz", {"/all/common.dwz": b"4"}, b"4"),
    ("common.dwz", {BY_ID: b"5"}, b"5"), ("common.dwz", {"common.dwz": b"6"}, None)])
def test_what_files_share(name: str, files: dict[str, bytes], found: bytes | None) -> None:
    """The name is taken from the program's directory; otherwise the build ID behind it leads there."""
    elf = with_section(".gnu_debugaltlink", name.encode() + b"\0" + bytes.fromhex(IDENTITY))
    assert debugfiles.shared(elf, "/opt/shop", Files(files).read) == found


def test_broken_links() -> None:
    """Nothing is found, and nothing raised."""
    disk = Files({BESIDE: RIGHT})
    assert debugfiles.shared(with_section(".other", b"common"), "/opt/shop", disk.read) is None
    assert debugfiles.shared(with_section(".gnu_debugaltlink", b""), "/opt/shop", disk.read) is None
    assert debugfiles.separate(with_section(".gnu_debuglink", b""), "/opt/shop", disk.read) is None
    assert BESIDE not in disk.asked
    no_end = with_section(".gnu_debuglink", b"shop.debug" + zlib.crc32(RIGHT).to_bytes(4, "little"))
    assert debugfiles.separate(no_end, "/opt/shop", disk.read) is None


def test_long_identities() -> None:
    """A path has no more than 64 bytes of one."""
    identity = bytes(range(100))
    disk = Files({})
    debugfiles.shared(with_section(".gnu_debugaltlink", b"x\0" + identity), "/opt/shop", disk.read)
    assert disk.asked == ["/opt/x", f"/usr/lib/debug/.build-id/00/{identity[1:64].hex()}.debug"]
