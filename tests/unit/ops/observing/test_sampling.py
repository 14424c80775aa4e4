import pytest

from memoryd_server.ops.observing.sampling import sampling_of
from memoryd_server.ops.observing.signal_choice import is_exported, other_protocol

ALL, NONE = 0, 2**128 - 1
"""Trace ids that each ratio above 0 takes, and that only a ratio of 1 takes."""


@pytest.mark.parametrize(
    ("sampler", "argument", "root", "sampled_parent", "other_parent"),
    [
        ("", "", True, True, False),
        ("always_on", "", True, True, True),
        ("always_off", "", False, False, False),
        ("parentbased_always_off", "", False, True, False),
        ("parentbased_traceidratio", "0", False, True, False),
        ("traceidratio", "0.5", None, True, True),
    ],
)
def test_the_standard_samplers_decide_as_they_are_defined(
    sampler: str, argument: str, root: bool | None, sampled_parent: bool, other_parent: bool
) -> None:
    sampling = sampling_of({"OTEL_TRACES_SAMPLER": sampler, "OTEL_TRACES_SAMPLER_ARG": argument})
    if root is not None:
        assert sampling.takes(None, is_parent_sampled=False) is root
    assert sampling.takes(ALL, is_parent_sampled=True) is sampled_parent
    assert sampling.takes(ALL, is_parent_sampled=False) is other_parent


def test_a_ratio_is_one_of_trace_ids() -> None:
    sampling = sampling_of({"OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.5"})
    assert [sampling.takes(each, is_parent_sampled=True) for each in (ALL, NONE)] == [True, False]


@pytest.mark.parametrize(("name", "argument"), [("sometimes", ""), ("traceidratio", "2"), ("traceidratio", "half")])
def test_an_unknown_sampler_is_refused(name: str, argument: str) -> None:
    with pytest.raises(ValueError):
        sampling_of({"OTEL_TRACES_SAMPLER": name, "OTEL_TRACES_SAMPLER_ARG": argument})


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, []),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}, ["METRICS", "TRACES"]),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector:4318/v1/traces"}, ["TRACES"]),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_METRICS_EXPORTER": "none"}, ["TRACES"]),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_SDK_DISABLED": "true"}, []),
    ],
)
def test_what_is_exported_follows_the_standard_variables(environ: dict[str, str], expected: list[str]) -> None:
    assert [each for each in ("METRICS", "TRACES") if is_exported(each, environ)] == expected


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, {}),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, {}),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, {"METRICS": "grpc", "TRACES": "grpc"}),
        (
            {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf"},
            {"METRICS": "grpc"},
        ),
        ({"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json"}, {"TRACES": "http/json"}),
    ],
)
def test_a_protocol_that_is_not_supported_is_found(environ: dict[str, str], expected: dict[str, str]) -> None:
    assert {each: other for each in ("METRICS", "TRACES") if (other := other_protocol(each, environ))} == expected
