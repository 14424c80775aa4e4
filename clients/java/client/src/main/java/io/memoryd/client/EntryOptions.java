package io.memoryd.client;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import io.memoryd.client.error.UnsupportedValueException;
import io.memoryd.v1.EntryType;
import io.memoryd.v1.GetOrSetEntryRequest;
import io.memoryd.v1.SetEntryOperation;
import io.memoryd.v1.SetEntryRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The attributes of an entry. Immutable: each {@code with} method returns a copy.
 *
 * <p>The last of {@link #withTtl} and {@link #withExpireTime} applies.
 */
public final class EntryOptions {
  /** A fact of importance 0.5 without tags and metadata, which does not expire. */
  public static final EntryOptions DEFAULT =
      new EntryOptions(SetEntryOperation.getDefaultInstance());

  private static final ObjectMapper METADATA_MAPPER = new ObjectMapper();

  private final SetEntryOperation template;

  private EntryOptions(SetEntryOperation template) {
    this.template = template;
  }

  /** Sets the name that the writer uses for the value's type: at most 256 bytes of UTF-8. */
  public EntryOptions withTypeName(String name) {
    return with(entry -> entry.setTypeName(name));
  }

  /** Sets the type of the entry. */
  public EntryOptions withEntryType(EntryType type) {
    return with(entry -> entry.setType(type));
  }

  /** Sets the importance, from 0 to 1. */
  public EntryOptions withImportance(double importance) {
    return with(entry -> entry.setImportance(importance));
  }

  /** Sets the tags: at most 64, each of 1 to 256 bytes of UTF-8. */
  public EntryOptions withTags(String... tags) {
    return withTags(List.of(tags));
  }

  /** Sets the tags: at most 64, each of 1 to 256 bytes of UTF-8. */
  public EntryOptions withTags(Collection<String> tags) {
    return with(entry -> entry.clearTags().addAllTags(tags));
  }

  /**
   * Sets additional JSON values that the writer defines. Numbers are doubles: an integer beyond
   * 2<sup>53</sup> loses its last digits.
   *
   * @throws UnsupportedValueException if JSON cannot represent a value
   */
  public EntryOptions withMetadata(Map<String, ?> metadata) {
    ObjectNode object;
    try {
      object = METADATA_MAPPER.valueToTree(metadata);
    } catch (IllegalArgumentException unsupported) {
      throw new UnsupportedValueException(
          "the metadata cannot be encoded as JSON: " + unsupported.getMessage(), unsupported);
    }
    return with(entry -> entry.setMetadata(Structs.of(object)));
  }

  /** Sets the user that the entry is about: at most 256 bytes of UTF-8. */
  public EntryOptions withUserId(String userId) {
    return with(entry -> entry.setUserId(userId));
  }

  /** Makes the entry expire after this time, which must be positive. */
  public EntryOptions withTtl(Duration ttl) {
    return with(entry -> entry.setTtl(Durations.toMessage(ttl)));
  }

  /** Makes the entry expire at this moment, which must be in the future. */
  public EntryOptions withExpireTime(Instant moment) {
    Timestamp.Builder time =
        Timestamp.newBuilder().setSeconds(moment.getEpochSecond()).setNanos(moment.getNano());
    return with(entry -> entry.setExpireTime(time));
  }

  /** Returns an operation of a batch with these attributes, without key and value. */
  SetEntryOperation.Builder toOperation() {
    return template.toBuilder();
  }

  /** Returns a request with these attributes, without key and value. */
  SetEntryRequest.Builder toRequest(Place place) {
    return copyTo(
        SetEntryRequest.newBuilder().setAgentId(place.agentId()).setScopeId(place.scopeId()));
  }

  /**
   * Returns a request that keeps an existing entry, with these attributes, without key and value.
   */
  GetOrSetEntryRequest.Builder toGetOrSet(Place place) {
    return copyTo(
        GetOrSetEntryRequest.newBuilder().setAgentId(place.agentId()).setScopeId(place.scopeId()));
  }

  /** Sets the attributes in a message whose fields have the same names. */
  private <B extends Message.Builder> B copyTo(B request) {
    Descriptor written = request.getDescriptorForType();
    template
        .getAllFields()
        .forEach(
            (field, value) -> request.setField(written.findFieldByName(field.getName()), value));
    return request;
  }

  private EntryOptions with(Consumer<SetEntryOperation.Builder> change) {
    SetEntryOperation.Builder changed = template.toBuilder();
    change.accept(changed);
    return new EntryOptions(changed.build());
  }
}
