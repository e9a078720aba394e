from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from harness.config.power import RedfishSettings
from harness.measure import PowerError, PowerSettings, Sampler, Sampling, resolve
from harness.measure.sources import redfish
from harness.measure.sources.redfish import Redfish, RedfishReader, credentials

CHASSIS = "/redfish/v1/Chassis"
METRICS = CHASSIS + "/1/EnvironmentMetrics"
POWER = CHASSIS + "/1/Power"


class Bmc(ThreadingHTTPServer):
    """A BMC: `pages` by path (a value or a function giving one), a login, and a delay."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pages: dict[str, Any] = {
            CHASSIS: {"Members": [{"@odata.id": CHASSIS + "/1"}]},
            METRICS: {"PowerWatts": {"Reading": 374}, "EnergykWh": {"Reading": 12.5}},
            POWER: {"PowerControl": [{"PowerConsumedWatts": 344}]},
        }
        self.login: str | None = None
        self.delay_s = 0.0
        self.requests: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Bmc

    def do_GET(self) -> None:
        self.server.requests.append(self.path)
        time.sleep(self.server.delay_s)
        if self.server.login and self.headers.get("Authorization") != self.server.login:
            self.send_error(401)
            return
        page = self.server.pages.get(self.path)
        page = page() if callable(page) else page
        if isinstance(page, int):
            self.send_response(page)
            self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if page is None:
            self.send_error(404)
            return
        body = page if isinstance(page, bytes) else json.dumps(page).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: Any) -> None:
        pass


@pytest.fixture
def bmc() -> Iterator[Bmc]:
    server = Bmc()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def settings(url: str, **more: Any) -> PowerSettings:
    redfish = RedfishSettings(url=url, **{"timeout_s": 5.0, **more})
    return PowerSettings(source="redfish", redfish=redfish)


def reader(bmc: Bmc, **more: Any) -> RedfishReader:
    found = Redfish(settings(bmc.url, **more), "").open()
    assert isinstance(found, RedfishReader)
    return found


def test_environment_metrics_come_first_and_the_sensor_is_recorded(bmc: Bmc) -> None:
    source = reader(bmc)
    (reading,) = source.read()
    assert (reading.domain, reading.value) == ("node", 374.0)
    assert source.details()["redfish"]["sensor"] == "EnvironmentMetrics.PowerWatts"
    assert source.kinds == {"node": "gauge"} and source.min_period_s == 1.0
    found = resolve(settings(bmc.url))
    assert (found.source_name, found.domains) == ("measured:bmc-redfish", ("node",))
    assert not found.can_cap and found.cap_reason == "no cap: source redfish only reads"


def test_older_bmcs_give_power(bmc: Bmc) -> None:
    del bmc.pages[METRICS]
    source = reader(bmc)
    assert source.read()[0].value == 344.0
    details = source.details()["redfish"]
    assert details["sensor"] == "Power.PowerControl[0].PowerConsumedWatts"
    assert details["meter_energy_J"] is None


def test_kilowatt_hours_become_joules(bmc: Bmc) -> None:
    source = reader(bmc)
    bmc.pages[METRICS] = {"PowerWatts": {"Reading": 374}, "EnergykWh": {"Reading": 12.501}}
    assert source.details()["redfish"]["meter_energy_J"] == pytest.approx(3600.0)


def test_login_from_file(bmc: Bmc, tmp_path: Path) -> None:
    bmc.login = "Basic bWU6c2VjcmV0OndpdGg6Y29sb24="  # me / secret:with:colon
    file = tmp_path / "login"
    file.write_text("me\nsecret:with:colon\n")
    file.chmod(0o600)
    assert reader(bmc, credentials=file).read()[0].value == 374.0
    file.write_text("me\nwrong\n")
    probe = Redfish(settings(bmc.url, credentials=file), "").probe()
    assert not probe.usable and "HTTP 401: user or password missing or wrong" in probe.reason
    assert "wrong\n" not in probe.reason


def test_login_from_environment(bmc: Bmc, monkeypatch: pytest.MonkeyPatch) -> None:
    bmc.login = "Basic bWU6c2VjcmV0"
    assert "HTTP 401" in Redfish(settings(bmc.url), "").probe().reason
    monkeypatch.setenv("KVASIR_REDFISH_USER", "me")
    monkeypatch.setenv("KVASIR_REDFISH_PASSWORD", "secret")
    assert reader(bmc).read()[0].value == 374.0


def test_bad_credentials_files(tmp_path: Path) -> None:
    file = tmp_path / "login"
    address = "https://bmc.example"
    with pytest.raises(PowerError, match="cannot read the credentials"):
        credentials(RedfishSettings(url=address, credentials=file))
    file.write_text("me\n")
    file.chmod(0o600)
    with pytest.raises(PowerError, match="expected two lines"):
        credentials(RedfishSettings(url=address, credentials=file))
    file.chmod(0o644)
    with pytest.raises(PowerError, match="others can read the credentials"):
        credentials(RedfishSettings(url=address, credentials=file))


def test_refused_connection() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        probe = Redfish(settings(url), "").probe()
    assert not probe.usable and "refused" in probe.reason and url in probe.reason


def test_slow_answer(bmc: Bmc) -> None:
    bmc.delay_s = 1.0
    probe = Redfish(settings(bmc.url, timeout_s=0.1), "").probe()
    assert not probe.usable and "no answer within 0.1 s" in probe.reason


@pytest.mark.parametrize(
    ("path", "page", "reason"),
    [
        (CHASSIS, b"<html>", "is not JSON"),
        (CHASSIS, [1], "not a JSON object"),
        (CHASSIS, 302, "HTTP 302"),
        (CHASSIS, {"Members": []}, "no chassis"),
        (
            CHASSIS,
            {"Members": [{"@odata.id": CHASSIS + "/A"}, {"@odata.id": CHASSIS + "/B"}]},
            "several chassis (A, B): set redfish.chassis",
        ),
        (METRICS, {"PowerWatts": {"Reading": None}}, ""),
        (METRICS, 500, "HTTP 500"),
    ],
)
def test_odd_answers(bmc: Bmc, path: str, page: Any, reason: str) -> None:
    bmc.pages[path] = page
    probe = Redfish(settings(bmc.url), "").probe()
    assert probe.usable == (not reason) and reason in probe.reason
    assert "/elsewhere" not in bmc.requests


def test_chassis_by_name(bmc: Bmc) -> None:
    bmc.pages[CHASSIS] = {"Members": [{"@odata.id": CHASSIS + "/rack"}, {"@odata.id": CHASSIS + "/1/"}]}
    assert reader(bmc, chassis="1").details()["redfish"]["chassis"] == CHASSIS + "/1"


def test_no_watts_anywhere(bmc: Bmc) -> None:
    del bmc.pages[METRICS], bmc.pages[POWER]
    assert "neither EnvironmentMetrics nor Power" in Redfish(settings(bmc.url), "").probe().reason


def test_tls_is_verified(bmc: Bmc, tmp_path: Path) -> None:
    probe = Redfish(settings(bmc.url.replace("http:", "https:")), "").probe()
    assert not probe.usable and "SSL" in probe.reason
    bad = tmp_path / "ca.pem"
    bad.write_text("no certificate")
    probe = Redfish(settings("https://127.0.0.1:1", ca_file=bad), "").probe()
    assert not probe.usable and "not a file of certificates" in probe.reason


def test_not_configured() -> None:
    with pytest.raises(ValueError, match="needs the section 'redfish'"):
        PowerSettings(source="redfish")
    with pytest.raises(ValueError, match="greater than or equal to 1"):
        RedfishSettings(url="https://bmc.example", period_s=0.5)


def test_a_failing_bmc_costs_samples_and_not_the_run(bmc: Bmc, tmp_path: Path) -> None:
    answers: Iterator[Any] = iter([374, 503, 374])

    def watts() -> Any:
        return _watts(next(answers, 374))

    sampling = Sampling(
        power=settings(bmc.url), period_ms=50, trace=tmp_path / "t.csv", summary=tmp_path / "s.json"
    )
    with Sampler(sampling) as sampler:
        assert sampler.source_name == "measured:bmc-redfish"
        bmc.pages[METRICS] = watts
        sampler.start()
        time.sleep(2.3)  # polls at 0, 1 and 2 s: a BMC is never asked faster
        summary = sampler.stop()
    node = summary["domains"]["node"]
    assert summary["redfish"]["failed_requests"] == 1 and "HTTP 503" in summary["redfish"]["first_failure"]
    assert node["dropped"] == 1 and node["kind"] == "gauge"
    assert node["energy_J"] == pytest.approx(374 * node["span_s"])


def _watts(value: int) -> Any:
    return value if value == 503 else {"PowerWatts": {"Reading": value}}


def test_each_host_has_a_bmc_of_its_own(bmc: Bmc, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redfish, "short_host_name", lambda: "127.0.0.1")
    with_name = settings(f"http://{{host}}:{bmc.server_port}")
    source = Redfish(with_name, "")
    assert source.refusal(4) == "" and source.probe().usable
    one = Redfish(settings(bmc.url), "")
    assert one.refusal(1) == ""
    assert one.refusal(4).startswith(
        f"source redfish: {bmc.url} is one BMC, there are 4 hosts; write {{host}} in"
    )
