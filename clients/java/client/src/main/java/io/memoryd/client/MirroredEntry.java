package io.memoryd.client;

import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.NumericNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.memoryd.v1.Entry;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/** An entry of a mirror, which never changes. */
final class MirroredEntry {
  /** No entry. */
  static final MirroredEntry NONE = new MirroredEntry(Entry.getDefaultInstance(), 0);

  private static final long NEVER = Long.MAX_VALUE;
  private static final long SECOND_NANOS = 1_000_000_000;
  // Nanoseconds since the epoch end in the year 2262.
  private static final long SECONDS_MAX = NEVER / SECOND_NANOS - 1;

  private static final Set<Class<?>> CONSTANTS =
      Set.of(
          String.class,
          Boolean.class,
          Character.class,
          Byte.class,
          Short.class,
          Integer.class,
          Long.class,
          Float.class,
          Double.class,
          BigInteger.class,
          BigDecimal.class,
          Json.class,
          TextNode.class,
          BooleanNode.class,
          NullNode.class);

  private final Entry message;
  private final long expireAt;
  private volatile Decoded decoded;

  MirroredEntry(Entry message) {
    this(message, expiryOf(message));
  }

  private MirroredEntry(Entry message, long expireAt) {
    this.message = message;
    this.expireAt = expireAt;
  }

  Entry message() {
    return message;
  }

  /** Returns the entry, or empty for {@link #NONE}. */
  Optional<Entry> entry() {
    return this == NONE ? Optional.empty() : Optional.of(message);
  }

  /**
   * Returns whether it has not expired yet. {@code clock} shows the nanoseconds since the epoch.
   */
  boolean isAlive(Clock clock) {
    return expireAt == NEVER || clock.nanos() < expireAt;
  }

  /**
   * Returns the value, or empty for a JSON null and for {@link #NONE}. It is decoded by each read,
   * so that it belongs to the reader, unless nobody can change it.
   */
  <T> Optional<T> value(Type type, Values values) {
    Decoded known = decoded;
    if (known == null || known.type != type) {
      known = decode(type, values);
    }
    @SuppressWarnings("unchecked") // It was decoded as this type.
    Optional<T> value = (Optional<T>) known.value;
    return value;
  }

  private Decoded decode(Type type, Values values) {
    if (this == NONE) {
      return Decoded.NOTHING;
    }
    Object value = values.read(message.getValueJson(), type, message.getKey());
    Decoded made = new Decoded(type, Optional.ofNullable(value));
    if (isConstant(value)) {
      decoded = made;
    }
    return made;
  }

  private static boolean isConstant(Object value) {
    return value == null
        || value instanceof Enum<?>
        || value instanceof NumericNode
        || CONSTANTS.contains(value.getClass());
  }

  private static long expiryOf(Entry entry) {
    long seconds = entry.getExpireTime().getSeconds();
    return !entry.hasExpireTime() || seconds > SECONDS_MAX
        ? NEVER
        : seconds * SECOND_NANOS + entry.getExpireTime().getNanos();
  }

  /** A clock that shows the nanoseconds since the epoch. */
  interface Clock {
    /** The clock of this machine. */
    Clock SYSTEM =
        () -> {
          Instant now = Instant.now();
          return now.getEpochSecond() * SECOND_NANOS + now.getNano();
        };

    long nanos();
  }

  /** A value that was decoded as a type. */
  private record Decoded(Type type, Optional<?> value) {
    static final Decoded NOTHING = new Decoded(null, Optional.empty());
  }
}
