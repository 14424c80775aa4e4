from memoryd_server.models.endpoint.circuit import Circuit


def test_it_opens_after_failures_in_a_row() -> None:
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


def test_one_request_tries_after_the_rest() -> None:
    circuit = Circuit(failures_max=1, rest_s=10.0)
    circuit.fail(0.0)
    assert circuit.admits(10.0)
    assert not circuit.admits(10.0)

    circuit.succeed()
    assert not circuit.is_open
    assert circuit.admits(10.0)


def test_another_failure_begins_another_rest() -> None:
    circuit = Circuit(failures_max=1, rest_s=10.0)
    circuit.fail(0.0)
    assert circuit.admits(10.0)
    circuit.fail(13.0)
    assert not circuit.admits(22.9)
    assert circuit.admits(23.0)


def test_a_trial_that_is_never_heard_of_again_is_followed_by_another() -> None:
    circuit = Circuit(failures_max=1, rest_s=10.0)
    circuit.fail(0.0)
    assert circuit.admits(10.0)
    assert not circuit.admits(19.9)
    assert circuit.admits(20.0)
