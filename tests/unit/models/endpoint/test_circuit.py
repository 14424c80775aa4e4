from memoryd_server.models.endpoint.circuit import Circuit


def test_the_circuit_opens_after_successive_failures() -> None:
    circuit = Circuit(failures_max=2, rest_s=10.0)
    circuit.fail(0.0)
    circuit.succeed()
    circuit.fail(1.0)
    assert not circuit.is_open
    assert circuit.admits(1.0)

    circuit.fail(2.0)
    assert circuit.is_open
    assert not circuit.admits(2.0)
    assert not circuit.admits(11.9)


def test_the_circuit_admits_one_request_after_the_rest() -> None:
    circuit = Circuit(failures_max=1, rest_s=10.0)
    circuit.fail(0.0)
    assert circuit.admits(10.0)
    assert not circuit.admits(10.0)

    circuit.succeed()
    assert not circuit.is_open
    assert circuit.admits(10.0)


def test_a_failed_trial_starts_another_rest() -> None:
    circuit = Circuit(failures_max=1, rest_s=10.0)
    circuit.fail(0.0)
    assert circuit.admits(10.0)
    circuit.fail(13.0)
    assert not circuit.admits(22.9)
    assert circuit.admits(23.0)


def test_a_trial_without_an_outcome_is_followed_by_another() -> None:
    circuit = Circuit(failures_max=1, rest_s=10.0)
    circuit.fail(0.0)
    assert circuit.admits(10.0)
    assert not circuit.admits(19.9)
    assert circuit.admits(20.0)
