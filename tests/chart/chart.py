"""The chart, and what renders and validates it: Helm's own library, and Kubernetes' own schemas. It judges nothing."""

import functools
import json
import os
import re
from pathlib import Path

import helm_python
import jsonschema
import kubernetes_validate
import yaml
from kubernetes_validate import utils

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
CHART = ROOT / "deploy/helm/feedbackd"
# Kubernetes from the oldest that Chart.yaml allows to the newest that has schemas here.
VERSIONS = ["1.27", "1.30", "1.33", "1.35", "1.37"]
UPDATE = bool(os.environ.get("UPDATE_CHART"))

# The schemas are large; without this each is read for each object.
utils.schema_contents = functools.lru_cache(maxsize=None)(utils.schema_contents)


@functools.lru_cache(maxsize=None)
def chart():
    return helm_python.Chart.load(CHART)


def ci_files():
    """The files with values that the chart is tried with, by name."""
    return {file.name.removesuffix("-values.yaml"): file for file in sorted((CHART / "ci").glob("*-values.yaml"))}


def values_of(file):
    return yaml.safe_load(file.read_text()) or {}


def render(values=None, name="feedbackd", namespace="prod"):
    """The rendered files by their path below templates/."""
    rendered = chart().render(values or {}, name=name, namespace=namespace)
    return {path.removeprefix("feedbackd/templates/"): text for path, text in rendered.items()}


class UniqueKeys(yaml.SafeLoader):
    """As Kubernetes' strict decoding: a key that occurs twice is an error."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        twice = {key for key in keys if keys.count(key) > 1}
        assert not twice, f"{sorted(twice)} occur twice{node.start_mark}"
        return super().construct_mapping(node, deep)


def objects(values=None, **release):
    """The rendered objects."""
    files = render(values, **release)
    found = []
    for path, text in files.items():
        if path.endswith(".yaml"):
            found += [document for document in yaml.load_all(text, UniqueKeys) if document]
    return found


def of_kind(found, kind):
    return [one for one in found if one["kind"] == kind]


def pods(found):
    """Each pod, or template of one, with its metadata."""
    return [one["spec"]["template"] for one in of_kind(found, "StatefulSet")] + of_kind(found, "Pod")


def configurations(found):
    """config.toml of each daemon, by the daemon's name."""
    maps = of_kind(found, "ConfigMap")
    return {one["metadata"]["name"]: one["data"]["config.toml"] for one in maps if "config.toml" in one["data"]}


@functools.lru_cache(maxsize=None)
def custom_schema(kind):
    return json.loads((HERE / "schemas" / f"{kind.lower()}.json").read_text())


def validate(one, version):
    """Checks an object against Kubernetes' schema, in which every unknown field is an error."""
    if one["apiVersion"].startswith("monitoring.coreos.com/"):
        jsonschema.validate(one, custom_schema(one["kind"]))
    else:
        try:
            kubernetes_validate.validate(one, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            place = "/".join(str(part) for part in error.absolute_path)
            raise AssertionError(f"{one['kind']} {one['metadata']['name']}, {version}: {place}: {error.message}") from None


LABEL = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")


def matches(selector, labels):
    return all(labels.get(key) == value for key, value in selector.items())


def check(found):
    """Checks what the schemas do not: names, selectors, rights and references between the objects."""
    names = [(one["kind"], one["metadata"]["name"]) for one in found]
    assert len(names) == len(set(names)), names
    assert not of_kind(found, "Secret"), "secrets come from outside"
    for one in found:
        name = one["metadata"]["name"]
        longest = 52 if one["kind"] == "StatefulSet" else 63
        # Only this name may be a whole one of a user.
        if one["kind"] != "ServiceAccount":
            assert len(name) <= longest and LABEL.fullmatch(name), f"{one['kind']} {name}"
    daemons = of_kind(found, "StatefulSet")
    assert daemons
    services = of_kind(found, "Service")
    for daemon in daemons:
        spec, labels = daemon["spec"], daemon["spec"]["template"]["metadata"]["labels"]
        assert spec["replicas"] == 1
        assert matches(spec["selector"]["matchLabels"], labels)
        assert spec["serviceName"] in [service["metadata"]["name"] for service in services]
        chosen = [one for one in services if matches(one["spec"]["selector"], labels)]
        assert len(chosen) == 2, "a Service, and a headless one"
        others = [one for one in daemons if one is not daemon]
        assert not [one for one in others if matches(spec["selector"]["matchLabels"], one["spec"]["template"]["metadata"]["labels"])]
    for pod in of_kind(found, "Pod"):
        selectors = [one["spec"]["selector"] for one in services]
        selectors += [one["spec"]["selector"]["matchLabels"] for one in daemons + of_kind(found, "PodDisruptionBudget")]
        assert not [one for one in selectors if matches(one, pod["metadata"]["labels"])], "a test is no daemon"
    for pod in pods(found):
        check_pod(pod, daemons)


def check_pod(pod, daemons):
    spec = pod["spec"]
    assert spec["automountServiceAccountToken"] is False
    assert spec["enableServiceLinks"] is False
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert spec["securityContext"]["fsGroupChangePolicy"] == "OnRootMismatch"
    volumes = [volume["name"] for volume in spec["volumes"]] + ["data"]
    for container in spec.get("initContainers", []) + spec["containers"]:
        rights = container["securityContext"]
        assert rights == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert set(container["resources"]["limits"]) == {"memory"}, "a limit for CPU would only slow it down"
        assert {mount["name"] for mount in container.get("volumeMounts", [])} <= set(volumes)
        for name in ["livenessProbe", "startupProbe"]:
            assert container.get(name, {"httpGet": {"path": "/health"}})["httpGet"]["path"] == "/health"
    claims = [volume["persistentVolumeClaim"]["claimName"] for volume in spec["volumes"] if "persistentVolumeClaim" in volume]
    assert set(claims) <= {f"data-{daemon['metadata']['name']}-0" for daemon in daemons}
