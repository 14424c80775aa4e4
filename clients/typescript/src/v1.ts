/** The messages, enums and services of the daemon, as they are generated from its protos. */
export * from "#protos/memoryd/v1/agent_pb";
export * from "#protos/memoryd/v1/agent_service_pb";
export * from "#protos/memoryd/v1/entry_pb";
export * from "#protos/memoryd/v1/error_reason_pb";
export * from "#protos/memoryd/v1/event_pb";
export * from "#protos/memoryd/v1/event_service_pb";
export * from "#protos/memoryd/v1/fragment_pb";
export * from "#protos/memoryd/v1/fragment_service_pb";
export * from "#protos/memoryd/v1/long_term_memory_service_pb";
export * from "#protos/memoryd/v1/memory_pb";
export * from "#protos/memoryd/v1/precondition_pb";
export * from "#protos/memoryd/v1/scope_pb";
export * from "#protos/memoryd/v1/server_service_pb";
export * from "#protos/memoryd/v1/snapshot_pb";
export * from "#protos/memoryd/v1/snapshot_service_pb";
export * from "#protos/memoryd/v1/working_memory_service_pb";
