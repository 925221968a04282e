"""What is wrong in the values is refused, with a message that names it."""

import helm_python
import pytest

import chart

WRONG = {
    "an unknown key": ({"tenats": []}, "additional properties 'tenats' not allowed"),
    "an unknown key below": ({"image": {"tga": "1"}}, "at '/image': additional properties 'tga' not allowed"),
    "two daemons for one store": ({"replicas": 2}, "at '/replicas': value must be 1"),
    "a password": ({"config": {"redis": {"password": "hunter2"}}}, "put it into the Secret that existingSecret names"),
    "a token in a list": (
        {"config": {"forges": {"connected": [{"name": "github", "token": "ghp_1"}]}}},
        "/config/forges/connected/0",
    ),
    "a password of a tenant": (
        {"tenants": [{"name": "acme", "config": {"redis": {"password": "hunter2"}}}]},
        "put it into the Secret that existingSecret names",
    ),
    "a password in a URL": ({"config": {"redis": {"url": "redis://:hunter2@redis"}}}, "a URL without a password"),
    "a password in a socket's URL": (
        {"config": {"redis": {"url": "unix:///run/redis.sock?db=1&pass=hunter2"}}},
        "a URL without a password",
    ),
    "a password in the environment": (
        {"extraEnv": [{"name": "FEEDBACKD__REDIS__URL", "value": "redis://me:hunter2@redis"}]},
        "at '/extraEnv/0/value': value must be 'a URL without a password",
    ),
    "another scheme": ({"config": {"redis": {"url": "http://redis"}}}, "at '/config/redis/url'"),
    "a tenant in the configuration": ({"config": {"redis": {"tenant": "acme"}}}, "name the tenant in tenants"),
    "another place of the store": ({"config": {"store": {"path": "/store"}}}, "'/var/lib/feedbackd/store.git'"),
    "another place of the state": ({"config": {"state": {"dir": "/state"}}}, "'/var/lib/feedbackd/state'"),
    "an address that no probe reaches": ({"config": {"http": {"listen": "127.0.0.1:9464"}}}, "'0.0.0.0:9464'"),
    "a key outside a section": ({"config": {"url": "redis://redis"}}, "at '/config/url': got string, want object"),
    "a null in a list": ({"config": {"http": {"hosts": "a"}, "x": {"list": [None]}}}, "at '/config/x/list/0'"),
    "root": ({"podSecurityContext": {"runAsUser": 0}}, "at '/podSecurityContext/runAsUser'"),
    "a limit for CPU": ({"resources": {"limits": {"cpu": 1}}}, "additional properties 'limits' not allowed"),
    "no capital letters in a name": ({"tenants": [{"name": "Acme"}]}, "at '/tenants/0/name'"),
    "a name that is too long": ({"tenants": [{"name": "a" * 22}]}, "at '/tenants/0/name'"),
    "a tenant without a name": ({"tenants": [{"id": "acme"}]}, "at '/tenants/0': missing property 'name'"),
    "two of one name": ({"tenants": [{"name": "acme"}, {"name": "acme", "id": "b"}]}, "the name acme occurs twice"),
    "two of one id": ({"tenants": [{"name": "acme"}, {"name": "b", "id": "acme"}]}, "the id acme occurs twice"),
    "an Ingress without a name": ({"ingress": {"enabled": True}}, "at '/ingress/host'"),
    "a port that is none": ({"service": {"port": 0}}, "at '/service/port'"),
    "a volume that two pods write": ({"persistence": {"accessMode": "ReadWriteMany"}}, "at '/persistence/accessMode'"),
    "a kill before the push ends": ({"shutdownReserveSeconds": 0}, "at '/shutdownReserveSeconds'"),
    "a mount without a volume": (
        {"extraVolumeMounts": [{"name": "ca", "mountPath": "/ca"}]},
        "extraVolumes has no volume ca",
    ),
    "a mount over the store": (
        {
            "extraVolumes": [{"name": "ca", "emptyDir": {}}],
            "extraVolumeMounts": [{"name": "ca", "mountPath": "/var/lib/feedbackd"}],
        },
        "/var/lib/feedbackd is used twice",
    ),
    "two volumes of one name": (
        {"extraVolumes": [{"name": "ca", "emptyDir": {}}, {"name": "ca", "configMap": {"name": "ca"}}]},
        "the name ca occurs twice",
    ),
    "a volume of the chart's": ({"extraVolumes": [{"name": "data"}]}, "the chart has volumes data, config, tmp and secret"),
}


@pytest.mark.parametrize("what", WRONG)
def test_it_is_refused(what):
    values, told = WRONG[what]
    with pytest.raises(helm_python.HelmError) as refused:
        chart.render(values)
    assert told in str(refused.value)
    assert "hunter2" not in str(refused.value)


def test_a_user_of_redis_is_no_password():
    found = chart.objects({"config": {"redis": {"url": "rediss://feedbackd@redis:6380/0"}}})
    assert 'url = "rediss://feedbackd@redis:6380/0"' in chart.configurations(found)["feedbackd"]
