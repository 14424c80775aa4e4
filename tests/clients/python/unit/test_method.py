from tests.integration.contract import MODULES

from memoryd.protocol.method import METHODS


def test_the_client_has_every_method_of_the_contract_with_its_messages() -> None:
    contract = {
        (service.full_name, method.name, method.input_type.full_name, method.output_type.full_name)
        for module in MODULES
        for service in module.DESCRIPTOR.services_by_name.values()
        for method in service.methods
    }
    client = {
        (
            method.service,
            method.name,
            method.request_type.DESCRIPTOR.full_name,
            method.response_type.DESCRIPTOR.full_name,
        )
        for method in METHODS
    }
    assert client == contract


def test_all_methods_are_repeatable_but_streams() -> None:
    streams = {
        method.name
        for module in MODULES
        for service in module.DESCRIPTOR.services_by_name.values()
        for method in service.methods
        if method.client_streaming or method.server_streaming
    }
    assert {method.name for method in METHODS if not method.repeatable} == streams
