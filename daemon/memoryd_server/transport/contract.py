"""The methods of the contract by their names, for people who ask about one."""

import importlib
import pkgutil
from collections.abc import Iterator
from typing import NamedTuple

from google.protobuf.descriptor import MethodDescriptor

from memoryd import v1
from memoryd_server.domain.agents.tier import NO_FEATURES, Features
from memoryd_server.ports.auth import Verb
from memoryd_server.transport.access import AccessRule, policy_of


class Needs(NamedTuple):
    """The needs of a call: verbs of the caller for the agent, and features of the agent's tier."""

    verbs: list[Verb]
    features: Features = NO_FEATURES


def needs_of(name: str) -> Needs:
    """Return what a method needs; for the name of a verb, that verb. A method may need no verb of its own.

    A method's name is such as SetEntry, WorkingMemoryService/SetEntry, or its path. Raises ValueError if it is
    unknown, or of an operation, which needs the verb of another method.
    """
    if name in {verb.value for verb in Verb}:
        return Needs([Verb(name)])
    for method in contract_methods():
        service = method.containing_service
        if name.removeprefix("/") in (
            method.name,
            f"{service.name}/{method.name}",
            f"{service.full_name}/{method.name}",
        ):
            policy = policy_of(method)
            if policy.rule is AccessRule.OPERATION:
                raise ValueError(f"{name!r} needs the verb of the method that the operation carries out: name that one")
            return Needs([] if policy.verb is None else [policy.verb], policy.own_features)
    raise ValueError(f"{name!r} is neither a method, such as SetEntry, nor a verb, such as write")


def contract_methods() -> Iterator[MethodDescriptor]:
    """Yield all methods of the contract."""
    for module in pkgutil.iter_modules(v1.__path__):
        if module.name.endswith("_service_pb2"):
            services = importlib.import_module(f"memoryd.v1.{module.name}").DESCRIPTOR.services_by_name
            for service in services.values():
                yield from service.methods
