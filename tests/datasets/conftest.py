import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from small_movielens import FIXED, SHAPE, md5, packed

from overtone.datasets.archive import ARCHIVES
from overtone.datasets.download import MIRROR


@pytest.fixture(autouse=True)
def _small_archives_and_no_network(monkeypatch, tmp_path):
    """Let the table describe the small archives made here, and let nothing leave this machine."""
    for name in FIXED:
        small = replace(ARCHIVES[name], md5=md5(packed(name)), counts=SHAPE)
        monkeypatch.setitem(ARCHIVES, name, small)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache-home"))
    monkeypatch.setenv(MIRROR, "http://127.0.0.1:9")
    monkeypatch.delenv("OVERTONE_DATA", raising=False)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache-home" / "overtone"


@pytest.fixture
def site(monkeypatch):
    """Serve a dictionary of paths; a body may be cut short of the length it states."""
    pages = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            body, stated = pages.get(self.path, (None, 0))
            if body is None:
                self.send_error(404)
                return
            self.send_response(200)
            if stated is not None:
                self.send_header("Content-Length", str(stated))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs=dict(poll_interval=0.01))
    thread.start()
    monkeypatch.setenv(MIRROR, f"http://127.0.0.1:{server.server_address[1]}/movielens/")
    yield pages
    server.shutdown()
    thread.join()
    server.server_close()
