"""What each file of values in ci/ renders: as recorded, valid for five versions of Kubernetes, and with no more rights."""

import tarfile

import helm_python
import pytest
import yaml

import chart

FILES = chart.ci_files()
RECORDED = chart.HERE / "snapshots"


def test_it_lints():
    for name, file in FILES.items():
        told = helm_python.lint(chart.CHART, chart.values_of(file), strict=True, namespace="prod", kube_version="v1.37.0")
        # 1 is a remark, such as that an icon is recommended.
        wrong = [message for message in told["messages"] if message["severity"] > 1]
        assert not wrong and not told["errors"], (name, told)


def test_the_files_try_every_template():
    rendered = {}
    for file in FILES.values():
        for path, text in chart.render(chart.values_of(file)).items():
            rendered[path] = rendered.get(path, "") + text.strip()
    assert len(rendered) >= 10 and all(rendered.values()), [path for path, text in rendered.items() if not text]


@pytest.mark.parametrize("name", FILES)
def test_they_render_as_recorded(name):
    lines = []
    for path, text in chart.render(chart.values_of(FILES[name])).items():
        # The dashboard and the alerts are compared with their sources elsewhere.
        if path in ("dashboard.yaml", "prometheusrule.yaml"):
            text = text.split("\ndata:")[0].split("\nspec:")[0] + "\n"
        if text.strip():
            lines += [f"# {path}", *(line.rstrip() for line in text.strip().splitlines()), ""]
    rendered = "\n".join(lines)
    file = RECORDED / f"{name}.yaml"
    if chart.UPDATE:
        RECORDED.mkdir(exist_ok=True)
        file.write_text(rendered)
    assert rendered == file.read_text(), "if you mean this: UPDATE_CHART=1 make chart"


def test_nothing_is_recorded_that_is_not_rendered():
    assert {file.stem for file in RECORDED.iterdir()} == set(FILES)


@pytest.mark.parametrize("version", chart.VERSIONS)
@pytest.mark.parametrize("name", FILES)
def test_they_are_valid(name, version):
    found = chart.objects(chart.values_of(FILES[name]))
    chart.check(found)
    for one in found:
        chart.validate(one, version)


def test_the_validation_finds_what_is_wrong():
    daemon = chart.of_kind(chart.objects(), "StatefulSet")[0]
    daemon["spec"]["template"]["spec"]["containers"][0]["bogus"] = 1
    with pytest.raises(AssertionError, match="bogus"):
        chart.validate(daemon, "1.37")
    with pytest.raises(AssertionError, match="twice"):
        yaml.load("a: 1\na: 2\n", chart.UniqueKeys)


def test_a_tenant_has_a_daemon_a_configuration_and_a_budget_of_its_own():
    found = chart.objects(chart.values_of(FILES["tenants"]))
    names = ["feedback-acme", "feedback-globex", "feedback-42"]
    for kind in ["StatefulSet", "PodDisruptionBudget"]:
        assert [one["metadata"]["name"] for one in chart.of_kind(found, kind)] == names
    memory = [one["spec"]["template"]["spec"]["containers"][0]["resources"] for one in chart.of_kind(found, "StatefulSet")]
    assert [one["limits"]["memory"] for one in memory] == ["1Gi", "4Gi", "1Gi"]
    assert all(one["limits"]["memory"] == one["requests"]["memory"] for one in memory)
    secrets = [
        volume["secret"]["secretName"]
        for one in chart.of_kind(found, "StatefulSet")
        for volume in one["spec"]["template"]["spec"]["volumes"]
        if "secret" in volume
    ]
    assert secrets == ["feedbackd", "feedbackd-globex", "feedbackd"]


def test_a_daemon_has_time_to_drain_and_to_push():
    found = chart.objects(chart.values_of(FILES["tenants"]))
    seconds = [one["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] for one in chart.of_kind(found, "StatefulSet")]
    assert seconds == [10 + 40, 60 + 40, 10 + 40]


def test_own_labels_do_not_replace_those_that_select():
    labels = {"app.kubernetes.io/component": "mine", "team": "platform"}
    found = chart.objects({"podLabels": labels, "podAnnotations": {"checksum/config": "mine"}})
    chart.check(found)
    template = chart.of_kind(found, "StatefulSet")[0]["spec"]["template"]["metadata"]
    assert template["labels"]["team"] == "platform" and template["annotations"]["checksum/config"] != "mine"


def test_another_configuration_restarts_the_daemon_and_other_labels_do_not():
    def template(values):
        return chart.of_kind(chart.objects(values), "StatefulSet")[0]["spec"]["template"]

    before = template({})
    assert template({"config": {"log": {"level": "debug"}}}) != before
    assert template({"monitoring": {"dashboard": {"enabled": True}}, "service": {"port": 80}}) == before


def test_the_store_outlives_the_release():
    for daemon in chart.of_kind(chart.objects(), "StatefulSet"):
        policy = daemon["spec"]["persistentVolumeClaimRetentionPolicy"]
        assert policy == {"whenDeleted": "Retain", "whenScaled": "Retain"}


def test_prometheus_sees_a_daemon_that_is_not_ready():
    found = chart.objects(chart.values_of(FILES["monitoring"]))
    selector = chart.of_kind(found, "ServiceMonitor")[0]["spec"]["selector"]["matchLabels"]
    chosen = [one for one in chart.of_kind(found, "Service") if chart.matches(selector, one["metadata"]["labels"])]
    assert len(chosen) == 1 and chosen[0]["spec"]["publishNotReadyAddresses"] is True


def test_the_package_has_what_it_renders_and_no_values_for_tests(tmp_path):
    package = chart.chart().save(tmp_path)
    with tarfile.open(package) as files:
        names = files.getnames()
    assert "feedbackd/files/alerts.yaml" in names and "feedbackd/values.schema.json" in names
    assert not [name for name in names if name.startswith("feedbackd/ci/")]
    values = chart.values_of(FILES["monitoring"])
    with helm_python.Chart.load(package) as packed:
        assert packed.render(values, name="a", namespace="b") == chart.chart().render(values, name="a", namespace="b")


def test_the_notes_name_what_is_there():
    for name, file in FILES.items():
        values = chart.values_of(file)
        notes = chart.render(values)["NOTES.txt"]
        for daemon in chart.of_kind(chart.objects(values), "StatefulSet"):
            assert f"{daemon['metadata']['name']}-0 -- feedbackd roster add" in notes, name
        for ingress in chart.of_kind(chart.objects(values), "Ingress"):
            assert f"://{ingress['spec']['rules'][0]['host']}\n" in notes, name
