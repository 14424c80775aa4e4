"""The tests of the contract that HTTP/1.1 or JSON cannot carry."""

import os

BEYOND_HTTP = {
    # A refusal before the end of an upload: HTTP/1.1 closes the connection while the client still sends.
    "test_a_document_over_a_limit_is_refused_before_its_upload_ends",
    "test_an_own_snapshot_cannot_be_cloned_into_another_agent_nor_a_file_imported",
    # Streams in both directions at once.
    "test_all_services_are_listed",
    "test_every_symbol_is_described",
    "test_a_tool_can_build_the_contract_from_its_description",
    "test_an_unknown_symbol_is_an_error_response_on_a_stream_that_stays_open",
    "test_a_malformed_request_is_refused",
    # They choose grpcio's server.
    "test_an_old_connection_is_replaced_and_its_watch_goes_on",
    "test_a_client_whose_connection_is_old_calls_over_a_new_one",
    "test_the_capabilities_are_the_optional_features_that_are_on",
    # They call a method as one of another shape, or without a message.
    "test_unknown_methods_are_unimplemented_in_every_shape",
    "test_every_call_without_a_token_is_unauthenticated",
    "test_all_statuses_can_be_listed",
    # JSON has no value that is none of its kinds, and headers of HTTP/1.1 end without a space.
    "test_a_value_is_required",
    "test_a_wrong_token_is_unauthenticated",
}
"""The names of the tests, apart from those of uploads."""


def is_over_http() -> bool:
    """Return True if the tests call their daemons by JSON over HTTP/1.1."""
    return os.environ.get("MEMORYD_TEST_CALLS") == "http"
