"""Names that every system can hold: which are illegal, what is made of them, when two are the same."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from xxhash import xxh3_64_hexdigest

MAX_BYTES = 255 - 40  # of one name: the limit of common file systems, less what a suffix may need

_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f\ud800-\udfff]')
# Windows opens a device for these, whatever the suffix
_DEVICES = re.compile(
    r"(con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$)(\..*)?",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def illegal(name: str) -> str:
    """Say why a file name cannot be held by every system; empty where it can."""
    if found := _FORBIDDEN.search(name):
        return f"holds {found[0]!r}, which no file name on Windows may"
    if name in ("", ".", "..") or name[-1] in ". " or name[0] == " ":
        return "starts or ends with a character that Windows drops"
    if _DEVICES.fullmatch(name):
        return "is a device on Windows"
    if len(name.encode()) > MAX_BYTES:
        return "is too long for a file name"
    return ""


@lru_cache(maxsize=4096)  # the harnesses ask for one name after the other
def same(name: str) -> str:
    """Return the form under which two names are one on a system that folds case."""
    if name.isascii():
        return name.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def shorten(name: str, limit: int) -> str:
    """Cut a name to ``limit`` bytes, with ``-`` and eight hexadecimal digits of the whole one's hash."""
    raw = name.encode()
    if len(raw) <= limit:
        return name
    head = raw[: limit - 9].decode(errors="ignore").rstrip("-. ")
    return f"{head}-{digest8(name)}"


def digest8(name: str) -> str:
    """Return eight hexadecimal digits that stand for a name."""
    return xxh3_64_hexdigest(name.encode(errors="surrogatepass"))[:8]


@lru_cache(maxsize=4096)
def portable(name: str) -> str:
    """Return the nearest name that every system can hold."""
    text = unicodedata.normalize("NFC", name)
    text = _FORBIDDEN.sub("-", text).strip(" ").rstrip(". ") or digest8(name)
    if _DEVICES.fullmatch(text):
        text = f"{text.split('.')[0]}-{digest8(name)}"
    return shorten(text, MAX_BYTES)
