import pytest
from opentelemetry.sdk.resources import Resource

from memoryd_server.ops.observing.metrics_data import metrics_data, own_resource
from memoryd_server.ports.instrument import Histogram


@pytest.mark.parametrize(
    ("environ", "name"),
    [
        ({}, "memoryd"),
        ({"OTEL_SERVICE_NAME": "mine"}, "mine"),
        ({"OTEL_RESOURCE_ATTRIBUTES": "service.name=mine"}, "mine"),
        ({"OTEL_RESOURCE_ATTRIBUTES": "service.name=other", "OTEL_SERVICE_NAME": "mine"}, "mine"),
    ],
)
def test_the_variables_name_who_reports(environ: dict[str, str], name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in environ.items():
        monkeypatch.setenv(variable, value)
    assert own_resource().attributes["service.name"] == name


def test_a_histogram_is_exported_without_a_minimum_and_a_maximum() -> None:
    encoder = pytest.importorskip("opentelemetry.exporter.otlp.proto.common.metrics_encoder")
    histogram = Histogram("h", "")
    histogram.observe(1.0)
    encoded = encoder.encode_metrics(metrics_data([histogram], Resource.create()))
    (point,) = encoded.resource_metrics[0].scope_metrics[0].metrics[0].histogram.data_points
    assert (point.count, point.sum) == (1, 1.0)
    assert not point.HasField("min")
    assert not point.HasField("max")
