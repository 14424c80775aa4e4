package io.memoryd.client;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.Timestamp;
import io.memoryd.client.error.UnsupportedValueException;
import io.memoryd.v1.MemoryType;
import io.memoryd.v1.SetEntryOperation;
import io.memoryd.v1.SetEntryRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What may be said about a value that is stored. Immutable: each {@code with} answers another one.
 *
 * <p>An entry has one end at most: of {@link #withTtl}, {@link #withExpireTime} and {@link
 * #withExpiryDays} the last one holds.
 */
public final class EntryOptions {
  /** A fact of importance 0.5 without tags and metadata, which stays. */
  public static final EntryOptions DEFAULT =
      new EntryOptions(SetEntryOperation.getDefaultInstance());

  private static final ObjectMapper METADATA_MAPPER = new ObjectMapper();

  private final SetEntryOperation template;

  private EntryOptions(SetEntryOperation template) {
    this.template = template;
  }

  /** Names the value's type, for its readers: at most 256 bytes of UTF-8. */
  public EntryOptions withTypeName(String name) {
    return with(entry -> entry.setTypeName(name));
  }

  /** Sets the memory type of the entry. */
  public EntryOptions withMemoryType(MemoryType type) {
    return with(entry -> entry.setMemoryType(type));
  }

  /** Says how important the value is, from 0 to 1. */
  public EntryOptions withImportance(double importance) {
    return with(entry -> entry.setImportance(importance));
  }

  /** Labels the value: at most 64 tags, each of 1 to 256 bytes of UTF-8. */
  public EntryOptions withTags(String... tags) {
    return withTags(List.of(tags));
  }

  /** Labels the value: at most 64 tags, each of 1 to 256 bytes of UTF-8. */
  public EntryOptions withTags(Collection<String> tags) {
    return with(entry -> entry.clearTags().addAllTags(tags));
  }

  /**
   * Keeps JSON values of the writer's own beside the value. Numbers are doubles: an integer beyond
   * 2<sup>53</sup> loses its last digits.
   *
   * @throws UnsupportedValueException for what JSON cannot hold
   */
  public EntryOptions withMetadata(Map<String, ?> metadata) {
    ObjectNode object;
    try {
      object = METADATA_MAPPER.valueToTree(metadata);
    } catch (IllegalArgumentException unsupported) {
      throw new UnsupportedValueException(
          "the metadata cannot be written as JSON: " + unsupported.getMessage(), unsupported);
    }
    return with(entry -> entry.setMetadata(Structs.of(object)));
  }

  /** Ends the entry after this time, which is more than zero. */
  public EntryOptions withTtl(Duration ttl) {
    return with(entry -> entry.setTtl(Durations.toMessage(ttl)));
  }

  /** Ends the entry at this moment, which is in the future. */
  public EntryOptions withExpireTime(Instant moment) {
    Timestamp.Builder time =
        Timestamp.newBuilder().setSeconds(moment.getEpochSecond()).setNanos(moment.getNano());
    return with(entry -> entry.setExpireTime(time));
  }

  /** Ends the entry after this many days, more than zero. */
  public EntryOptions withExpiryDays(int days) {
    return with(entry -> entry.setExpiryDays(days));
  }

  /** Answers an operation of a batch with these options, to be completed by key and value. */
  SetEntryOperation.Builder toOperation() {
    return template.toBuilder();
  }

  /** Answers a request with these options, to be completed by key and value. */
  SetEntryRequest.Builder toRequest(Place place) {
    SetEntryRequest.Builder request =
        SetEntryRequest.newBuilder().setAgentId(place.agentId()).setScopeId(place.scopeId());
    // The fields of the operation are those of the request, under the same names.
    template
        .getAllFields()
        .forEach(
            (field, value) ->
                request.setField(
                    SetEntryRequest.getDescriptor().findFieldByName(field.getName()), value));
    return request;
  }

  private EntryOptions with(Consumer<SetEntryOperation.Builder> change) {
    SetEntryOperation.Builder changed = template.toBuilder();
    change.accept(changed);
    return new EntryOptions(changed.build());
  }
}
