"""What the daemon gets: the real program accepts each rendered config.toml, creates its store and answers the probes.

FEEDBACKD is the program, else target/debug/feedbackd.
"""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import time
import tomllib
from pathlib import Path

import pytest

import chart

PROGRAM = Path(os.environ.get("FEEDBACKD") or chart.ROOT / "target/debug/feedbackd").absolute()
FILES = chart.ci_files()

needs_program = pytest.mark.skipif(not PROGRAM.exists(), reason="feedbackd is not built (cargo build, or set FEEDBACKD)")
needs_redis = pytest.mark.skipif(not shutil.which("redis-server"), reason="redis-server is not installed")


def installed(text, folder):
    """The configuration with its folders below `folder`, and the environment. Files that it names exist there."""
    for place in ["/run/secrets/feedbackd", "/etc/prompts", "/var/lib/feedbackd"]:
        text = text.replace(place, f"{folder}{place}")
        Path(f"{folder}{place}").mkdir(parents=True, exist_ok=True)
    for file in re.findall(rf'"({re.escape(str(folder))}/run/[^"]*)"', text):
        Path(file).write_text("0123456789abcdef0123456789abcdef\n")
    config = folder / "config.toml"
    config.write_text(text)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FEEDBACKD")}
    secrets = folder / "run/secrets/feedbackd"
    (secrets / "redis_password").write_text("a password")
    return environment | {"FEEDBACKD_CONFIG": str(config), "CREDENTIALS_DIRECTORY": str(secrets)}


def run(environment, *arguments):
    return subprocess.run([PROGRAM, *arguments], env=environment, capture_output=True, text=True, timeout=120)


@needs_program
@pytest.mark.parametrize("name", FILES)
def test_the_program_accepts_it_and_creates_a_store(name, tmp_path):
    for daemon, text in chart.configurations(chart.objects(chart.values_of(FILES[name]))).items():
        folder = tmp_path / daemon
        folder.mkdir()
        environment = installed(text, folder)
        checked = run(environment, "config", "check")
        assert checked.returncode == 0, checked.stdout + checked.stderr
        # As the init container does, at each start of the pod.
        for created in ['"created": true', '"created": false']:
            init = run(environment, "init", "--json")
            assert init.returncode == 0, init.stdout + init.stderr
            assert created.replace(" ", "") in init.stdout.replace(" ", ""), init.stdout


@needs_program
def test_the_program_finds_its_passwords_in_the_secret(tmp_path):
    text = chart.configurations(chart.objects(chart.values_of(FILES["secrets"])))["feedbackd"]
    shown = run(installed(text, tmp_path), "config", "show", "--json")
    assert shown.returncode == 0, shown.stderr
    assert str(tmp_path / "run/secrets/feedbackd/redis_password") in shown.stdout


@needs_program
def test_the_program_refuses_a_key_that_it_does_not_know(tmp_path):
    text = chart.configurations(chart.objects({"config": {"log": {"colour": "red"}}}))["feedbackd"]
    checked = run(installed(text, tmp_path), "config", "check")
    assert checked.returncode == 4 and "log.colour" in checked.stderr, checked.stderr


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextlib.contextmanager
def process(*command, **options):
    child = subprocess.Popen(command, **options)
    try:
        yield child
    finally:
        child.terminate()
        child.wait(timeout=60)


def status(port, path, host):
    """The status of an answer; None if no one listens."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            connection.sendall(f"GET {path} HTTP/1.0\r\nHost: {host}\r\n\r\n".encode())
            answer = connection.makefile("rb").read()
    except OSError:
        return None
    return int(answer.split()[1])


def wait_for(what, seconds=60):
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.05)


@needs_program
@needs_redis
def test_a_daemon_answers_its_probes_under_the_names_of_its_service(tmp_path):
    http, redis = free_port(), free_port()
    found = chart.objects({"config": {"redis": {"url": f"redis://127.0.0.1:{redis}/0"}}}, name="reviews", namespace="tools")
    text = chart.configurations(found)["reviews-feedbackd"].replace("0.0.0.0:9464", f"0.0.0.0:{http}")
    environment = installed(text, tmp_path)
    (tmp_path / "run/secrets/feedbackd/redis_password").unlink()
    assert run(environment, "init").returncode == 0
    spec = chart.of_kind(found, "StatefulSet")[0]["spec"]["template"]["spec"]
    arguments = spec["containers"][0]["args"]
    server = ["redis-server", "--port", str(redis), "--save", "", "--dir", str(tmp_path)]
    log = (tmp_path / "log").open("w")
    with process(*server, stdout=subprocess.DEVNULL), process(PROGRAM, *arguments, env=environment, stderr=log) as daemon:
        probes = {name: spec["containers"][0][f"{name}Probe"]["httpGet"]["path"] for name in ["startup", "liveness", "readiness"]}
        wait_for(lambda: status(http, probes["readiness"], "127.0.0.1") == 200)
        for path in [*probes.values(), "/metrics"]:
            for host in ["reviews-feedbackd", "reviews-feedbackd.tools.svc", f"reviews-feedbackd.tools.svc.cluster.local:{http}"]:
                assert status(http, path, host) == 200, (path, host)
        assert status(http, "/health", "elsewhere.example.org") == 421
        # The first container of `helm test`: here under the loopback address, with bash as in the image.
        test = chart.of_kind(found, "Pod")[0]["spec"]["containers"]
        assert [container["name"] for container in test] == ["ready", "doctor"]
        script = subprocess.run(test[0]["command"], env={"HOST": "127.0.0.1", "PORT": str(http)}, capture_output=True)
        assert script.returncode == 0, script
        # The second one, beside the daemon on its volume.
        doctor = run(environment, *test[1]["args"])
        assert doctor.returncode == 0, doctor.stdout
        daemon.terminate()
        assert daemon.wait(timeout=spec["terminationGracePeriodSeconds"]) == 0
        script = subprocess.run(test[0]["command"], env={"HOST": "127.0.0.1", "PORT": str(http)}, capture_output=True)
        assert script.returncode != 0, "no daemon answers any more"


def test_keys_of_a_tenant_override_those_of_all():
    found = chart.configurations(chart.objects(chart.values_of(FILES["tenants"])))
    parsed = {name: tomllib.loads(text) for name, text in found.items()}
    assert [one["redis"]["tenant"] for one in parsed.values()] == ["acme", "Globex_EU.2", "42"]
    assert [one["redis"]["consumer"] for one in parsed.values()] == [f"{name}-0" for name in parsed]
    assert [one["review"] for one in parsed.values()] == [
        {"min_approvals": 2, "require_signatures": True},
        {"min_approvals": 2, "require_signatures": False},
        {"min_approvals": 2, "require_signatures": True},
    ]


def test_the_names_of_an_ingress_are_hosts_of_the_daemon():
    found = chart.objects(chart.values_of(FILES["ingress"]))
    http = {name: tomllib.loads(text)["http"] for name, text in chart.configurations(found).items()}
    for ingress in chart.of_kind(found, "Ingress"):
        name, host = ingress["metadata"]["name"], ingress["spec"]["rules"][0]["host"]
        names = http[name]["hosts"].split(", ")
        assert names == [name, f"{name}.prod", f"{name}.prod.svc", f"{name}.prod.svc.cluster.local", host, "feedback.internal"]
    assert [one["public_url"] for one in http.values()] == [
        "https://acme.feedback.example.org",
        "https://feedback.globex.example.org",
    ]
