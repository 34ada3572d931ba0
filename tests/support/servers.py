"""A real server of `referee serve` and a plain HTTP client, on loopback."""

import http.client
import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from tests.conftest import command_line
from tests.support.processes import PATIENCE_SECONDS, ended


class Answer(NamedTuple):
    """The answer to a request."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def value(self) -> Any:
        return json.loads(self.body)


class Event(NamedTuple):
    """A server-sent event, with its JSON value."""

    kind: str
    id: str | None
    value: Any


class Server:
    """A server and its address."""

    def __init__(self, process: subprocess.Popen[bytes], address: str) -> None:
        self.process = process
        self.address = address

    @property
    def port(self) -> int:
        port = urlsplit(self.address).port
        assert port is not None
        return port

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)

    def get(self, path: str, **headers: str) -> Answer:
        return self.request("GET", path, None, headers)

    def post(self, path: str, body: Any, **headers: str) -> Answer:
        sent = {"Content-Type": "application/json", **headers}
        return self.request("POST", path, json.dumps(body).encode(), sent)

    def request(self, method: str, path: str, body: bytes | None, headers: Any) -> Answer:
        with closing(self.connect()) as connection:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, found, response.read())

    @contextmanager
    def events(self, path: str, last_id: str | None = None) -> Iterator[Iterator[Event]]:
        """The events of a stream, as they come."""
        with closing(self.connect()) as connection:
            connection.request("GET", path, headers={"Last-Event-ID": last_id} if last_id else {})
            response = connection.getresponse()
            assert response.status == 200
            yield _read_events(response)


def _read_events(response: http.client.HTTPResponse) -> Iterator[Event]:
    fields: dict[str, str] = {}
    while line := response.readline().decode():
        if line == "\n":
            if "event" in fields:
                yield Event(fields["event"], fields.get("id"), json.loads(fields["data"]))
            fields = {}
        else:
            name, _, text = line.rstrip("\n").partition(": ")
            fields[name] = text


@contextmanager
def started(folder: Path, *words: str, stream: str = "stdout") -> Iterator[Server]:
    """Start a command that serves, and wait for the address that it prints."""
    command = command_line(*words)
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with ended(process):
        pipe = process.stdout if stream == "stdout" else process.stderr
        assert pipe is not None
        for line in pipe:
            if found := re.search(rb"http://\S+", line):
                yield Server(process, found[0].decode())
                return
        raise AssertionError(process.communicate())


@contextmanager
def serving(folder: Path, *words: str) -> Iterator[Server]:
    """`referee serve` on a free port."""
    with started(folder, "serve", "--port", "0", *words) as server:
        yield server
