package io.memoryd.client;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.FieldMask;
import com.google.protobuf.Message;
import com.google.protobuf.Struct;
import io.memoryd.client.error.UnsupportedValueException;
import io.memoryd.v1.EntryType;
import io.memoryd.v1.GetOrSetEntryRequest;
import io.memoryd.v1.SetEntryOperation;
import io.memoryd.v1.SetEntryRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * The attributes of an entry. Immutable: each {@code with} method returns a copy.
 *
 * <p>The last of {@link #withTtl} and {@link #withExpireTime} applies.
 */
public final class EntryOptions {
  /** A fact of importance 0.5 without tags and metadata, which does not expire. */
  public static final EntryOptions DEFAULT =
      new EntryOptions(SetEntryOperation.getDefaultInstance(), Set.of());

  private final SetEntryOperation template;
  private final Set<String> given;

  private EntryOptions(SetEntryOperation template, Set<String> given) {
    this.template = template;
    this.given = given;
  }

  /** Sets the name that the writer uses for the value's type: at most 256 bytes of UTF-8. */
  public EntryOptions withTypeName(String name) {
    return with("type_name", entry -> entry.setTypeName(name));
  }

  /** Sets the type of the entry. */
  public EntryOptions withEntryType(EntryType type) {
    return with("type", entry -> entry.setType(type));
  }

  /** Sets the importance, from 0 to 1. */
  public EntryOptions withImportance(double importance) {
    return with("importance", entry -> entry.setImportance(importance));
  }

  /** Sets the tags: at most 64, each of 1 to 256 bytes of UTF-8. */
  public EntryOptions withTags(String... tags) {
    return withTags(List.of(tags));
  }

  /** Sets the tags: at most 64, each of 1 to 256 bytes of UTF-8. */
  public EntryOptions withTags(Collection<String> tags) {
    return with("tags", entry -> entry.clearTags().addAllTags(tags));
  }

  /**
   * Sets additional JSON values that the writer defines. Numbers are doubles: an integer beyond
   * 2<sup>53</sup> loses its last digits.
   *
   * @throws UnsupportedValueException if JSON cannot represent a value
   */
  public EntryOptions withMetadata(Map<String, ?> metadata) {
    Message object = Structs.of("metadata", Struct.getDefaultInstance(), metadata);
    return with("metadata", entry -> entry.setMetadata((Struct) object));
  }

  /** Sets the user that the entry is about: at most 256 bytes of UTF-8. */
  public EntryOptions withUserId(String userId) {
    return with("user_id", entry -> entry.setUserId(userId));
  }

  /** Makes the entry expire after this time, which must be positive. */
  public EntryOptions withTtl(Duration ttl) {
    return with("expire_time", entry -> entry.setTtl(Durations.toMessage(ttl)));
  }

  /** Makes the entry expire at this moment, which must be in the future. */
  public EntryOptions withExpireTime(Instant moment) {
    return with("expire_time", entry -> entry.setExpireTime(Durations.toMessage(moment)));
  }

  /**
   * Ends the expiry of an entry that an update changes: it then never expires, unless the agent has
   * a default.
   */
  public EntryOptions withoutExpiry() {
    return with("expire_time", SetEntryOperation.Builder::clearExpiry);
  }

  /**
   * Returns the attributes that are given, also those that are empty, for an update, which keeps
   * the others.
   */
  FieldMask toMask() {
    return FieldMask.newBuilder().addAllPaths(given).build();
  }

  /** Returns an operation of a batch with these attributes, without key and value. */
  SetEntryOperation.Builder toOperation(Place place) {
    return about(place.userId()).toBuilder();
  }

  /** Returns a request with these attributes, without key and value. */
  SetEntryRequest.Builder toRequest(Place place) {
    return copy(
        about(place.userId()),
        SetEntryRequest.newBuilder().setAgentId(place.agentId()).setScopeId(place.scopeId()));
  }

  /**
   * Returns a request that keeps an existing entry, with these attributes, without key and value.
   */
  GetOrSetEntryRequest.Builder toGetOrSet(Place place) {
    return copy(
        about(place.userId()),
        GetOrSetEntryRequest.newBuilder().setAgentId(place.agentId()).setScopeId(place.scopeId()));
  }

  /** Returns the attributes, with the user that an agent is bound to unless they name another. */
  private SetEntryOperation about(String userId) {
    return userId.isEmpty() || given.contains("user_id")
        ? template
        : template.toBuilder().setUserId(userId).build();
  }

  /** Sets the attributes in a message whose fields have the same names. */
  private static <B extends Message.Builder> B copy(SetEntryOperation attributes, B request) {
    Descriptor written = request.getDescriptorForType();
    attributes
        .getAllFields()
        .forEach(
            (field, value) -> request.setField(written.findFieldByName(field.getName()), value));
    return request;
  }

  private EntryOptions with(String field, Consumer<SetEntryOperation.Builder> change) {
    SetEntryOperation.Builder changed = template.toBuilder();
    change.accept(changed);
    Set<String> fields = new TreeSet<>(given);
    fields.add(field);
    return new EntryOptions(changed.build(), Collections.unmodifiableSet(fields));
  }
}
