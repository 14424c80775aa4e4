from memoryd_server.ports.component import Component, Components, ComponentState

times = [1]


def components() -> Components:
    """Return components whose clock is the last of ``times``."""
    times[:] = [1]
    return Components(lambda: times[-1])


def test_a_component_is_ok_until_a_fault_is_noted_and_again_after_it() -> None:
    all_of_them = components()
    store = all_of_them.of("store")
    assert all_of_them.of("store") is store
    times.append(2)
    store.degrade("slow")
    assert all_of_them.read() == [store.health]
    assert (store.health.state, store.health.reason, store.health.since) == (ComponentState.DEGRADED, "slow", 2)
    times.append(3)
    store.degrade("slower")
    assert (store.health.reason, store.health.since) == ("slower", 2)
    store.ok()
    assert (store.health.state, store.health.reason, store.health.since) == (ComponentState.OK, "", 3)


def test_the_fault_is_the_reason_of_the_first_component_that_failed() -> None:
    all_of_them = components()
    one, two = all_of_them.of("one"), all_of_them.of("two")
    one.degrade("slow")
    assert all_of_them.fault == ""
    two.fail("gone")
    assert all_of_them.fault == "gone"
    one.fail("lost")
    assert all_of_them.fault == "lost"


def test_changes_are_accepted_unless_a_fault_stops_them() -> None:
    all_of_them = components()
    one = all_of_them.of("one")
    one.degrade("slow")
    assert all_of_them.accepts_changes
    one.degrade("slow", stops_changes=True)
    assert not all_of_them.accepts_changes
    one.ok()
    assert all_of_them.accepts_changes
    one.fail("gone")
    assert not all_of_them.accepts_changes


def test_observers_are_called_now_and_after_each_change_once() -> None:
    all_of_them, calls = components(), list[str]()
    one = all_of_them.of("one")
    all_of_them.observe(lambda: calls.append(one.health.reason))
    one.ok()
    one.degrade("slow")
    one.degrade("slow")
    one.ok()
    assert calls == ["", "slow", ""]


def test_what_nobody_notes_is_looked_at_when_it_is_read() -> None:
    all_of_them = components()
    one: Component = all_of_them.of("one")
    all_of_them.look(lambda: one.degrade("full"))
    assert one.health.reason == ""
    assert all_of_them.read()[0].reason == "full"
