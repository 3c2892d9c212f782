"""Files that are used only where they are as they were written, byte for byte.

What is remembered is read back without a look at each value. A first line with the format and a digest of
the rest tells a file that somebody else wrote into, or that was cut short, or is of another version.
"""

from __future__ import annotations

from xxhash import xxh3_64_hexdigest


def text(version: str, body: bytes) -> bytes:
    """Return the bytes of a file that holds a body."""
    return f"{version} {xxh3_64_hexdigest(body)}\n".encode(errors="surrogatepass") + body


def body(version: str, raw: bytes) -> bytes:
    """Return what a file holds. Raise ValueError where it is not as it was written, or of another version."""
    _, _, rest = raw.partition(b"\n")
    if text(version, rest) != raw:
        raise ValueError(version)
    return rest
