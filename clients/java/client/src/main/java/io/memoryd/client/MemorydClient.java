package io.memoryd.client;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.grpc.Channel;
import io.memoryd.v1.AgentServiceGrpc;
import io.memoryd.v1.AgentServiceGrpc.AgentServiceBlockingStub;
import io.memoryd.v1.ContextServiceGrpc;
import io.memoryd.v1.ContextServiceGrpc.ContextServiceBlockingStub;
import io.memoryd.v1.ConversationServiceGrpc;
import io.memoryd.v1.ConversationServiceGrpc.ConversationServiceBlockingStub;
import io.memoryd.v1.DocumentServiceGrpc;
import io.memoryd.v1.DocumentServiceGrpc.DocumentServiceBlockingStub;
import io.memoryd.v1.EntityServiceGrpc;
import io.memoryd.v1.EntityServiceGrpc.EntityServiceBlockingStub;
import io.memoryd.v1.EventServiceGrpc;
import io.memoryd.v1.EventServiceGrpc.EventServiceBlockingStub;
import io.memoryd.v1.FragmentServiceGrpc;
import io.memoryd.v1.FragmentServiceGrpc.FragmentServiceBlockingStub;
import io.memoryd.v1.LongTermMemoryServiceGrpc;
import io.memoryd.v1.LongTermMemoryServiceGrpc.LongTermMemoryServiceBlockingStub;
import io.memoryd.v1.NoteServiceGrpc;
import io.memoryd.v1.NoteServiceGrpc.NoteServiceBlockingStub;
import io.memoryd.v1.OperationServiceGrpc;
import io.memoryd.v1.OperationServiceGrpc.OperationServiceBlockingStub;
import io.memoryd.v1.PlanServiceGrpc;
import io.memoryd.v1.PlanServiceGrpc.PlanServiceBlockingStub;
import io.memoryd.v1.ServerServiceGrpc;
import io.memoryd.v1.ServerServiceGrpc.ServerServiceBlockingStub;
import io.memoryd.v1.SnapshotServiceGrpc;
import io.memoryd.v1.SnapshotServiceGrpc.SnapshotServiceBlockingStub;
import io.memoryd.v1.TransactionServiceGrpc;
import io.memoryd.v1.TransactionServiceGrpc.TransactionServiceBlockingStub;
import io.memoryd.v1.WatchEventsRequest;
import io.memoryd.v1.WorkingMemoryServiceGrpc.WorkingMemoryServiceBlockingStub;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * One connection to one daemon, safe to share among threads.
 *
 * <pre>{@code
 * try (MemorydClient client = MemorydClient.connect()) {
 *   Agent agent = client.agent("assistant-1");
 *   agent.set("user", Map.of("name", "Ada"));
 * }
 * }</pre>
 *
 * <p>Every call blocks its thread, with all its retries for at most the client's timeout.
 * Interrupting the thread ends the call with {@link io.memoryd.client.error.CancelledException};
 * the thread stays interrupted. The methods of this client throw {@link
 * io.memoryd.client.error.CallFailedException} if the daemon refuses or cannot be reached.
 *
 * <p>Everything else, such as snapshots and statistics, is called on the generated stubs. Their
 * calls have the same timeout, unless they are given a deadline, and the same request ids and
 * retries. They throw {@link io.grpc.StatusRuntimeException}, which {@link
 * io.memoryd.client.error.CallFailedException#from} converts into an error of this client. Streams
 * have no timeout.
 */
public final class MemorydClient implements AutoCloseable {
  private final Connection connection;
  private final String address;

  private MemorydClient(Connection connection, String address) {
    this.connection = connection;
    this.address = address;
  }

  /**
   * Returns a client of the daemon at {@code MEMORYD_ADDRESS}, else {@code 127.0.0.1:7600}, with
   * the token in {@code MEMORYD_TOKEN}, if it is set.
   *
   * @throws io.memoryd.client.error.InvalidTargetException if {@code MEMORYD_ADDRESS} is not an
   *     address
   */
  public static MemorydClient connect() {
    return builder().connect();
  }

  /** Returns a builder of a client with other settings than the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns the daemon's address. */
  public String address() {
    return address;
  }

  /** Returns the agent with this id. Does not call the daemon. */
  public Agent agent(String agentId) {
    return new Agent(connection, Place.root(agentId));
  }

  /**
   * Watches the events that match any of the request's filters, or all events without filters. For
   * one agent or scope see {@link WorkingMemory#watch()}. No commit after it returns is missed.
   */
  public Watch watch(WatchEventsRequest request) {
    return watch(request, WatchOptions.OUTAGE_MAX);
  }

  /**
   * Watches as {@link #watch(WatchEventsRequest)} does, until the daemon has been unavailable for
   * {@code outageMax}.
   */
  public Watch watch(WatchEventsRequest request, Duration outageMax) {
    return Watch.begin(connection, request, outageMax);
  }

  /** Returns the stub for the daemon's version, limits, backend and durability. */
  public ServerServiceBlockingStub serverService() {
    return ServerServiceGrpc.newBlockingStub(connection.channel());
  }

  /** Returns the stub for agents as a whole: listing, statistics, clearing. */
  public AgentServiceBlockingStub agentService() {
    return AgentServiceGrpc.newBlockingStub(connection.channel());
  }

  /** Returns the stub for entries and scopes. */
  public WorkingMemoryServiceBlockingStub workingMemoryService() {
    return connection.workingMemory();
  }

  /** Returns the stub for the buffer of fragments. */
  public FragmentServiceBlockingStub fragmentService() {
    return FragmentServiceGrpc.newBlockingStub(connection.channel());
  }

  /** Returns the stub for an agent's long-term memories. */
  public LongTermMemoryServiceBlockingStub longTermMemoryService() {
    return LongTermMemoryServiceGrpc.newBlockingStub(connection.channel());
  }

  /** Returns the stub for notes: titled, editable texts that go into every prompt. */
  public NoteServiceBlockingStub noteService() {
    return NoteServiceGrpc.newBlockingStub(connection.channel());
  }

  /** Returns the stub for the contexts that are composed for a model, and for numbers of tokens. */
  public ContextServiceBlockingStub contextService() {
    return ContextServiceGrpc.newBlockingStub(connection.channel());
  }

  /** Returns the stub for conversations and their messages. */
  public ConversationServiceBlockingStub conversationService() {
    return ConversationServiceGrpc.newBlockingStub(connection.channel());
  }

  /** Returns the stub for the entities that an agent's tools touched last in each conversation. */
  public EntityServiceBlockingStub entityService() {
    return EntityServiceGrpc.newBlockingStub(connection.channel());
  }

  /** Returns the stub for plans: the goals of conversations and their ordered steps. */
  public PlanServiceBlockingStub planService() {
    return PlanServiceGrpc.newBlockingStub(connection.channel());
  }

  /**
   * Returns the stub for transactions: several changes of one agent, of all kinds, that are made as
   * one.
   */
  public TransactionServiceBlockingStub transactionService() {
    return TransactionServiceGrpc.newBlockingStub(connection.channel());
  }

  /**
   * Returns the stub for documents: source text that is rendered whole or searched in chunks. A
   * file that is larger than a message is uploaded with {@code
   * DocumentServiceGrpc.newStub(client.channel())}.
   */
  public DocumentServiceBlockingStub documentService() {
    return DocumentServiceGrpc.newBlockingStub(connection.channel());
  }

  /** Returns the stub for past events. */
  public EventServiceBlockingStub eventService() {
    return EventServiceGrpc.newBlockingStub(connection.channel());
  }

  /**
   * Returns the stub for snapshots. Changes of snapshots may need a longer deadline than other
   * calls: {@code snapshotService().withDeadlineAfter(Duration.ofMinutes(5))}.
   */
  public SnapshotServiceBlockingStub snapshotService() {
    return SnapshotServiceGrpc.newBlockingStub(connection.channel());
  }

  /**
   * Returns the stub for operations: requests that take long, carried out without a call that waits
   * for them.
   */
  public OperationServiceBlockingStub operationService() {
    return OperationServiceGrpc.newBlockingStub(connection.channel());
  }

  /** Returns the channel for other stubs, such as those with futures. Closed with the client. */
  public Channel channel() {
    return connection.channel();
  }

  /** Closes the connection, and cancels its calls and watches. A second call does nothing. */
  @Override
  public void close() {
    connection.close();
  }

  /** Builds a client. Each setter's description names its default. */
  public static final class Builder {
    private final Map<String, String> environment = System.getenv();
    private String address;
    private String token;
    private String origin = "";
    private Optional<Tls> tls = Optional.empty();
    private boolean insecureToken;
    private Duration timeout = Duration.ofSeconds(10);
    private Duration connectTimeout = Duration.ofSeconds(5);
    private ObjectMapper mapper = Values.strictMapper();

    private Builder() {}

    /**
     * Sets the address, {@code HOST:PORT} or {@code unix:/path}. Default: {@code MEMORYD_ADDRESS},
     * else {@code 127.0.0.1:7600}.
     */
    public Builder address(String address) {
      this.address = address;
      return this;
    }

    /** Sets the bearer token. Default: {@code MEMORYD_TOKEN}, else none. */
    public Builder token(String token) {
      this.token = token;
      return this;
    }

    /** Sets a name for this writer, which its events carry. Default: none. */
    public Builder origin(String origin) {
      this.origin = Objects.requireNonNull(origin, "origin");
      return this;
    }

    /** Enables TLS. Default: no TLS. */
    public Builder tls(Tls tls) {
      this.tls = Optional.of(tls);
      return this;
    }

    /**
     * If true, the token may be sent to another machine without TLS, as over a network that
     * encrypts by itself. Default: false.
     */
    public Builder insecureToken(boolean insecureToken) {
      this.insecureToken = insecureToken;
      return this;
    }

    /**
     * Sets the timeout of a call with all its retries, which bridge a restart of the daemon.
     * Default: 10 seconds.
     */
    public Builder timeout(Duration timeout) {
      this.timeout = positive(timeout);
      return this;
    }

    /** Limits the retries while no call has reached the daemon yet. Default: 5 seconds. */
    public Builder connectTimeout(Duration timeout) {
      this.connectTimeout = positive(timeout);
      return this;
    }

    /**
     * Sets the mapper that encodes and decodes values. Default: a Jackson mapper that refuses to
     * convert between types, such as from text to a number.
     */
    public Builder objectMapper(ObjectMapper mapper) {
      this.mapper = Objects.requireNonNull(mapper, "mapper");
      return this;
    }

    /**
     * Returns the client. Its first call connects it.
     *
     * @throws io.memoryd.client.error.InvalidTargetException if the address or a TLS file cannot be
     *     used, or if a token would be sent to another machine without TLS
     */
    public MemorydClient connect() {
      Target target = Target.of(address, environment);
      String chosen = token == null ? environment.getOrDefault("MEMORYD_TOKEN", "") : token;
      if (!chosen.isEmpty() && tls.isEmpty() && !insecureToken) {
        target.checkSecrecy();
      }
      ClientSettings settings =
          new ClientSettings(target, tls, chosen, origin, timeout, connectTimeout, mapper);
      return new MemorydClient(new Connection(settings), Target.chosen(address, environment));
    }

    private static Duration positive(Duration timeout) {
      if (timeout.isNegative() || timeout.isZero()) {
        throw new IllegalArgumentException("a timeout must be positive, not " + timeout);
      }
      return timeout;
    }
  }
}
