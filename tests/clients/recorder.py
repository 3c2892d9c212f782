"""A model that answers nothing: it writes down what a client sends and refuses it, so that the client ends.

``recorder.py LOG COMMAND...`` runs COMMAND with ``{url}`` replaced in its arguments and variables. What a
client sends names the agents, skills and commands that it would offer to a real model; the log holds every
text of it, plain.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

REFUSAL = json.dumps(
    {"error": {"message": "recorded", "type": "invalid_request_error", "code": 400}}
).encode()


class Handler(BaseHTTPRequestHandler):
    """Writes each text of a request to the log."""

    protocol_version = "HTTP/1.1"
    log = Path(sys.argv[1])

    def do_POST(self) -> None:
        """Record and refuse."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with contextlib.suppress(ValueError), self.log.open("a", encoding="utf-8") as log:
            log.writelines(f"{text}\n" for text in texts(json.loads(body)))
        self.do_GET()

    def do_GET(self) -> None:
        """Refuse; such a status is not tried again."""
        self.send_response(400)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(REFUSAL)))
        self.end_headers()
        self.wfile.write(REFUSAL)

    def log_message(self, *_: object) -> None:
        """Keep the client's own output clean."""


def texts(value: object) -> Iterator[str]:
    """Return every text in what was sent, in order."""
    if isinstance(value, str):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts(each)


def main(command: list[str]) -> int:
    """Serve on a free port of the loopback while the command runs; return its status."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        environment = {name: value.replace("{url}", url) for name, value in os.environ.items()}
        status = subprocess.call([part.replace("{url}", url) for part in command], env=environment)
        server.shutdown()
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[2:]))
