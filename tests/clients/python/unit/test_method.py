from tests.integration.contract import MODULES

from memoryd.protocol.method import METHODS, REEMBED_MEMORIES


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


def test_a_change_is_repeatable_only_with_a_request_id() -> None:
    reads = ("Get", "List", "BatchGet", "Contains", "Count", "Search", "Recall", "Compose")
    changes = [method for method in METHODS if not method.name.startswith(reads) or method.name == "GetOrSetEntry"]
    # It makes what is missing, and finds nothing to make the second time.
    changes.remove(REEMBED_MEMORIES)
    for method in changes:
        assert method.repeatable == ("request_id" in method.request_type.DESCRIPTOR.fields_by_name), method.name
