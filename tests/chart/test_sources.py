"""What the chart repeats from the repository is equal there: versions, alerts, dashboard, users and its own README."""

import re
import tomllib

import yaml

import chart

COPIES = {
    "files/alerts.yaml": "deploy/prometheus/alerts.yaml",
    "files/dashboard.json": "deploy/grafana/feedbackd.json",
}


def test_it_has_the_version_of_the_program():
    version = tomllib.loads((chart.ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    about = chart.chart().metadata
    assert (about["version"], about["appVersion"]) == (version, version)


def test_the_alerts_and_the_dashboard_are_those_of_the_repository():
    for copy, source in COPIES.items():
        text = (chart.ROOT / source).read_text()
        if chart.UPDATE:
            (chart.CHART / copy).write_text(text)
        assert (chart.CHART / copy).read_text() == text, f"{copy} differs from {source}: UPDATE_CHART=1 make chart"


def test_all_of_them_are_rendered():
    found = chart.objects(chart.values_of(chart.ci_files()["monitoring"]))
    alerts = yaml.safe_load((chart.ROOT / COPIES["files/alerts.yaml"]).read_text())
    assert chart.of_kind(found, "PrometheusRule")[0]["spec"] == alerts
    dashboards = [one["data"]["feedbackd.json"] for one in chart.of_kind(found, "ConfigMap") if "feedbackd.json" in one["data"]]
    assert [text.strip() for text in dashboards] == [(chart.ROOT / COPIES["files/dashboard.json"]).read_text().strip()]


def test_the_user_is_that_of_the_image():
    image = (chart.ROOT / "deploy/Containerfile").read_text()
    user = int(re.search(r"^USER (\d+)$", image, re.M)[1])
    group = int(re.search(r"groupadd .*--gid (\d+)", image)[1])
    assert chart.chart().values["podSecurityContext"] == {"runAsUser": user, "runAsGroup": group, "fsGroup": group}


def test_the_port_is_that_of_the_image():
    image = (chart.ROOT / "deploy/Containerfile").read_text()
    port = int(re.search(r"^EXPOSE (\d+)$", image, re.M)[1])
    for pod in chart.pods(chart.objects()):
        for container in pod["spec"]["containers"]:
            assert container.get("ports", [{"containerPort": port}])[0]["containerPort"] == port


def test_every_value_is_in_the_schema():
    schema = chart.chart().schema

    def known(schema_part, value, path):
        while "$ref" in schema_part:
            schema_part = schema["definitions"][schema_part["$ref"].rsplit("/", 1)[1]]
        if isinstance(value, dict) and "properties" in schema_part and path != ["config"]:
            for key, below in value.items():
                assert key in schema_part["properties"], path + [key]
                known(schema_part["properties"][key], below, path + [key])

    known(schema, chart.chart().values, [])


BEGIN, END = "<!-- The table is written from values.yaml. -->\n", "<!-- End of the table. -->\n"


def test_the_readme_lists_every_value():
    file = chart.CHART / "README.md"
    before, rest = file.read_text().split(BEGIN)
    _, after = rest.split(END)
    rows = "".join(f"| `{key}` | {default} | {meaning} |\n" for key, default, meaning in described_values())
    written = f"{before}{BEGIN}| value | default | meaning |\n|---|---|---|\n{rows}{END}{after}"
    if chart.UPDATE:
        file.write_text(written)
    assert file.read_text() == written, "UPDATE_CHART=1 make chart"


def described_values():
    """Each value, its default and the comment above it. A value without one is an error, unless it is a map of values."""
    text = (chart.CHART / "values.yaml").read_text()
    path, comment = [], []
    for line in text.splitlines():
        words = line.strip()
        if words.startswith("#"):
            comment.append(words[1:].strip())
            continue
        if not words:
            comment = []
            continue
        depth = (len(line) - len(line.lstrip())) // 2
        key, _, default = words.partition(":")
        path = path[:depth] + [key]
        name, default = ".".join(path), default.strip()
        if default:
            assert comment, f"values.yaml: {name} has no comment"
            yield name, "empty" if default in ('""', "[]", "{}") else f"`{default}`", " ".join(comment).replace("|", "\\|")
        elif comment:
            yield name, "", " ".join(comment).replace("|", "\\|")
        comment = []
