package io.memoryd.conformance.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import io.memoryd.client.error.CallFailedException;

/** The error of a call, in the form in which scenarios expect it. */
final class CallError {
  private static final String DOMAIN = "memoryd";

  private CallError() {}

  static JsonNode json(CallFailedException failed) {
    ObjectNode error = JsonNodeFactory.instance.objectNode();
    error.put("code", failed.code().name());
    if (!failed.reason().isEmpty()) {
      error.put("reason", failed.reason());
      ObjectNode metadata = error.putObject("metadata");
      failed.metadata().forEach(metadata::put);
    }
    failed.fields().keySet().stream().findFirst().ifPresent(field -> error.put("field", field));
    return error;
  }

  static JsonNode json(Status status, Metadata trailers) {
    ObjectNode error = JsonNodeFactory.instance.objectNode();
    error.put("code", status.getCode().name());
    com.google.rpc.Status details = StatusProto.fromStatusAndTrailers(status, trailers);
    try {
      for (Any detail : details.getDetailsList()) {
        read(detail, error);
      }
    } catch (InvalidProtocolBufferException damaged) {
      throw new ScenarioFailure("an error detail cannot be decoded: " + damaged.getMessage());
    }
    return error;
  }

  private static void read(Any detail, ObjectNode error) throws InvalidProtocolBufferException {
    if (detail.is(ErrorInfo.class)) {
      ErrorInfo info = detail.unpack(ErrorInfo.class);
      if (!info.getDomain().equals(DOMAIN)) {
        throw new ScenarioFailure("the error's domain is \"" + info.getDomain() + "\"");
      }
      error.put("reason", info.getReason());
      ObjectNode metadata = error.putObject("metadata");
      info.getMetadataMap().forEach(metadata::put);
    } else if (detail.is(BadRequest.class)) {
      BadRequest badRequest = detail.unpack(BadRequest.class);
      if (badRequest.getFieldViolationsCount() > 0) {
        error.put("field", badRequest.getFieldViolations(0).getField());
      }
    }
  }
}
