import pytest
from opentelemetry.sdk.resources import Resource

from memoryd_server.ops.observing.metrics_data import metrics_data
from memoryd_server.ports.instrument import Histogram


def test_a_histogram_is_exported_without_a_minimum_and_a_maximum() -> None:
    encoder = pytest.importorskip("opentelemetry.exporter.otlp.proto.common.metrics_encoder")
    histogram = Histogram("h", "")
    histogram.observe(1.0)
    encoded = encoder.encode_metrics(metrics_data([histogram], Resource.create()))
    (point,) = encoded.resource_metrics[0].scope_metrics[0].metrics[0].histogram.data_points
    assert (point.count, point.sum) == (1, 1.0)
    assert not point.HasField("min")
    assert not point.HasField("max")
