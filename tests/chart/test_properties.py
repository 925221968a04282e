"""All values that pass the schema render to valid objects, and to a config.toml that says what the values say."""

import math
import os
import tomllib

import jsonschema
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import chart

SCHEMA = chart.chart().schema
RULES = jsonschema.Draft7Validator(SCHEMA)

# What the schema leaves to Kubernetes: whole parts of its API.
PASSED_ON = {
    "global": st.just({}),
    "affinity": st.just({})
    | st.just(
        {
            "podAntiAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [
                    {"weight": 1, "podAffinityTerm": {"topologyKey": "zone", "labelSelector": {"matchLabels": {"a": "b"}}}}
                ]
            }
        }
    ),
    "extra": st.lists(st.just({"ports": [{"port": 4318, "protocol": "TCP"}]}), max_size=2),
    "extraVolumes": st.lists(st.just({"name": "ca", "configMap": {"name": "ca"}}), max_size=1),
    "extraVolumeMounts": st.lists(st.just({"name": "ca", "mountPath": "/etc/ssl/ca", "readOnly": True}), max_size=1),
}

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
keys = st.from_regex(r"\A[a-z][a-z_]{0,8}\Z") | texts
scalars = (
    st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
    | st.sampled_from(["${HOME}", "$$", "a\nb", '"', "\\", "\x7f", "\x85", "\u2028", "0x1", "true", "null", "~", "#", "- a"])
)
values = st.recursive(
    scalars,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(keys, st.none() | below, max_size=3),
    max_leaves=6,
)
sections = st.dictionaries(keys, st.none() | values, max_size=4)


@st.composite
def configurations(draw):
    """Sections of made-up keys, and some of the keys that the chart knows."""
    config = draw(st.dictionaries(st.sampled_from(["review", "model", "forges", "x", "http", "redis"]), sections, max_size=3))
    known = {
        ("redis", "url"): st.sampled_from(["redis://a:1/0", "rediss://me@b", "unix:///run/r.sock"]),
        ("redis", "consumer"): texts,
        ("http", "listen"): st.sampled_from(["0.0.0.0:9464", "[::]:9464"]),
        ("http", "hosts"): st.sampled_from(["", "a.example.org", "a, b"]),
        ("shutdown", "drain_seconds"): st.integers(1, 600),
    }
    for (section, key), strategy in known.items():
        if draw(st.booleans()):
            config.setdefault(section, {})[key] = draw(strategy)
    return config


def drawn(schema, name=""):
    """A strategy for one part of the schema."""
    if name in PASSED_ON:
        return PASSED_ON[name]
    if "$ref" in schema:
        definition = schema["$ref"].rsplit("/", 1)[1]
        if definition == "config":
            return configurations()
        if definition == "textWithoutPassword":
            return texts
        return drawn(SCHEMA["definitions"][definition], name)
    if name == "ingress":
        return drawn_kind("object", schema).map(lambda made: made | {"host": made.get("host") or "a.example.org"} if made.get("enabled") else made)
    if "allOf" in schema:
        return drawn(schema["allOf"][-1])
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "anyOf" in schema:
        return st.one_of([drawn(one) for one in schema["anyOf"]])
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return st.one_of([drawn_kind(kind, schema) for kind in kinds])


def drawn_kind(kind, schema):
    if kind == "null":
        return st.none()
    if kind == "boolean":
        return st.booleans()
    if kind == "integer":
        return st.integers(schema.get("minimum", -(2**31)), schema.get("maximum", 2**31 - 1))
    if kind == "string":
        if "pattern" not in schema:
            return st.text("abc/-_. ", min_size=schema.get("minLength", 0), max_size=8)
        # Every pattern of the schema is one of the whole text.
        longest = schema.get("maxLength", 253)
        return st.from_regex(rf"\A{schema['pattern'][1:-1]}\Z").filter(lambda text: len(text) <= longest)
    if kind == "array":
        unique = repr if schema.get("uniqueItems") else None
        return st.lists(drawn(schema["items"]), min_size=schema.get("minItems", 0), max_size=3, unique_by=unique)
    if "properties" in schema:
        required = {key: drawn(schema["properties"][key], key) for key in schema.get("required", [])}
        others = {key: drawn(one, key) for key, one in schema["properties"].items() if key not in required}
        return st.fixed_dictionaries(required, optional=others)
    if "propertyNames" in schema:
        pattern = schema["propertyNames"]["pattern"]
        return st.dictionaries(st.from_regex(rf"\A{pattern[1:-1]}\Z"), drawn(schema["additionalProperties"]), max_size=2)
    raise AssertionError(f"no values can be made up for {schema}")


def is_accepted(made):
    """The schema, and what JSON Schema cannot say: the templates check names that are unique or refer to others."""
    tenants = made.get("tenants", [])
    names, ids = {one["name"] for one in tenants}, {one.get("id", one["name"]) for one in tenants}
    mounted = {one["name"] for one in made.get("extraVolumeMounts", [])}
    volumes = {one["name"] for one in made.get("extraVolumes", [])}
    return RULES.is_valid(made) and len(names) == len(ids) == len(tenants) and mounted <= volumes


made_up = drawn(SCHEMA).filter(is_accepted)
releases = st.from_regex(r"\A[a-z]([-a-z0-9]{0,51}[a-z0-9])?\Z")
namespaces = st.from_regex(r"\A[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?\Z")

SETTINGS = settings(
    max_examples=int(os.environ.get("CHART_EXAMPLES", "40")),
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)


@SETTINGS
@given(made=made_up, name=releases, namespace=namespaces)
def test_values_that_pass_the_schema_render_to_valid_objects(made, name, namespace):
    found = chart.objects(made, name=name, namespace=namespace)
    chart.check(found)
    for one in found:
        assert one["metadata"]["namespace"] == namespace
        for version in (chart.VERSIONS[0], chart.VERSIONS[-1]):
            chart.validate(one, version)
    for text in chart.configurations(found).values():
        tomllib.loads(text)


@SETTINGS
@given(config=configurations())
def test_the_configuration_says_what_the_values_say(config):
    made = {"config": config}
    if not is_accepted(made):
        return
    expected = without_null(chart.chart().merge_values(made)["config"])
    text = chart.configurations(chart.objects(made))["feedbackd"]
    parsed = tomllib.loads(text)
    hosts = parsed["http"].pop("hosts")
    own = expected.get("http", {}).pop("hosts", "")
    assert hosts == ", ".join(["feedbackd, feedbackd.prod, feedbackd.prod.svc, feedbackd.prod.svc.cluster.local", *([own] if own else [])])
    chart_adds = {
        "http": {"listen": "0.0.0.0:9464"},
        "redis": {"consumer": "feedbackd-0"},
    }
    chart_sets = {
        "redis": {"tenant": ""},
        "store": {"path": "/var/lib/feedbackd/store.git"},
        "state": {"dir": "/var/lib/feedbackd/state"},
    }
    for section in {*expected, *chart_adds, *chart_sets}:
        whole = chart_adds.get(section, {}) | expected.get(section, {}) | chart_sets.get(section, {})
        assert equal(parsed.get(section, {}), whole), (section, whole, text)
    assert set(parsed) == {*expected, *chart_adds, *chart_sets}


def without_null(value):
    if isinstance(value, dict):
        return {key: without_null(one) for key, one in value.items() if one is not None}
    return [without_null(one) for one in value] if isinstance(value, list) else value


def equal(one, other):
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=1e-15)
    if isinstance(one, dict) and isinstance(other, dict):
        return set(one) == set(other) and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal, one, other))
    return type(one) is type(other) and one == other


def test_made_up_values_are_of_many_kinds():
    """So that the properties above are not true of nothing."""
    seen = set()

    @settings(SETTINGS, max_examples=150, derandomize=True)
    @given(made=made_up)
    def look(made):
        seen.update(made)
        seen.update(f"{part}.enabled" for part in ["ingress", "networkPolicy"] if made.get(part, {}).get("enabled"))
        seen.update(["tenants of one release"] if len(made.get("tenants", [])) > 1 else [])
        assert yaml.safe_load(yaml.safe_dump(made)) is not None

    look()
    missing = {*SCHEMA["properties"], "ingress.enabled", "networkPolicy.enabled", "tenants of one release"} - seen
    assert not missing, missing
