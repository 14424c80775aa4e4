package io.memoryd.client;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.grpc.Channel;
import io.memoryd.v1.AgentServiceGrpc;
import io.memoryd.v1.AgentServiceGrpc.AgentServiceBlockingStub;
import io.memoryd.v1.ContextServiceGrpc;
import io.memoryd.v1.ContextServiceGrpc.ContextServiceBlockingStub;
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
import io.memoryd.v1.PlanServiceGrpc;
import io.memoryd.v1.PlanServiceGrpc.PlanServiceBlockingStub;
import io.memoryd.v1.ServerServiceGrpc;
import io.memoryd.v1.ServerServiceGrpc.ServerServiceBlockingStub;
import io.memoryd.v1.SnapshotServiceGrpc;
import io.memoryd.v1.SnapshotServiceGrpc.SnapshotServiceBlockingStub;
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
 * <p>Every call blocks its thread, with all its attempts for at most the client's timeout.
 * Interrupting the thread ends the call with {@link io.memoryd.client.error.CancelledException};
 * the thread stays interrupted. Calls of this layer throw {@link
 * io.memoryd.client.error.CallFailedException} when the daemon refuses or cannot be reached.
 *
 * <p>What has no method of its own is called on the generated stubs. They have the same timeout,
 * unless they are given a deadline of their own, request ids and repeats, but throw {@link
 * io.grpc.StatusRuntimeException}, which {@link io.memoryd.client.error.CallFailedException#from}
 * turns into an error with a name. Calls of many messages have no timeout of their own.
 */
public final class MemorydClient implements AutoCloseable {
  private final Connection connection;
  private final String address;

  private MemorydClient(Connection connection, String address) {
    this.connection = connection;
    this.address = address;
  }

  /**
   * Answers a client of the daemon at {@code MEMORYD_ADDRESS}, else {@code 127.0.0.1:7600}, with
   * the token in {@code MEMORYD_TOKEN}, if there is one.
   *
   * @throws io.memoryd.client.error.InvalidTargetException if the environment names no address
   */
  public static MemorydClient connect() {
    return builder().connect();
  }

  /** Answers a builder of a client, to say more than the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** The daemon's address. */
  public String address() {
    return address;
  }

  /** Returns the agent with this id. It does not call the daemon. */
  public Agent agent(String agentId) {
    return new Agent(connection, agentId);
  }

  /**
   * Watches the events that any of the request's filters keeps, of all agents without filters. For
   * one agent or scope see {@link WorkingMemory#watch()}. Returns once the watch has begun.
   */
  public Watch watch(WatchEventsRequest request) {
    return watch(request, WatchOptions.OUTAGE_MAX);
  }

  /**
   * Watches as {@link #watch(WatchEventsRequest)} does, until the daemon has been away for {@code
   * outageMax}.
   */
  public Watch watch(WatchEventsRequest request, Duration outageMax) {
    return Watch.begin(connection, request, outageMax);
  }

  /** The stub for versions, limits and durability of the daemon. */
  public ServerServiceBlockingStub serverService() {
    return ServerServiceGrpc.newBlockingStub(connection.channel());
  }

  /** The stub for agents as a whole: listing, statistics, clearing. */
  public AgentServiceBlockingStub agentService() {
    return AgentServiceGrpc.newBlockingStub(connection.channel());
  }

  /** The stub for entries and scopes. */
  public WorkingMemoryServiceBlockingStub workingMemoryService() {
    return connection.workingMemory();
  }

  /** The stub for the buffer of fragments. */
  public FragmentServiceBlockingStub fragmentService() {
    return FragmentServiceGrpc.newBlockingStub(connection.channel());
  }

  /** The stub for what an agent is to remember for good. */
  public LongTermMemoryServiceBlockingStub longTermMemoryService() {
    return LongTermMemoryServiceGrpc.newBlockingStub(connection.channel());
  }

  /** The stub for titled, editable memories that are put into prompts. */
  public NoteServiceBlockingStub noteService() {
    return NoteServiceGrpc.newBlockingStub(connection.channel());
  }

  /** The stub for conversations, and what they take of a model's context window. */
  public ContextServiceBlockingStub contextService() {
    return ContextServiceGrpc.newBlockingStub(connection.channel());
  }

  /** The stub for what an agent's tools touched last, session by session. */
  public EntityServiceBlockingStub entityService() {
    return EntityServiceGrpc.newBlockingStub(connection.channel());
  }

  /** The stub for the goals of conversations, and their ordered steps. */
  public PlanServiceBlockingStub planService() {
    return PlanServiceGrpc.newBlockingStub(connection.channel());
  }

  /**
   * The stub for source text that is told to a model whole, or found in chunks. A file that is
   * larger than a message is uploaded with {@code DocumentServiceGrpc.newStub(client.channel())}.
   */
  public DocumentServiceBlockingStub documentService() {
    return DocumentServiceGrpc.newBlockingStub(connection.channel());
  }

  /** The stub for past events. */
  public EventServiceBlockingStub eventService() {
    return EventServiceGrpc.newBlockingStub(connection.channel());
  }

  /**
   * The stub for snapshots. What changes a snapshot is not repeated, and may need a longer deadline
   * than usual: {@code snapshotService().withDeadlineAfter(Duration.ofMinutes(5))}.
   */
  public SnapshotServiceBlockingStub snapshotService() {
    return SnapshotServiceGrpc.newBlockingStub(connection.channel());
  }

  /** The channel for other stubs, such as those with futures. It is closed with the client. */
  public Channel channel() {
    return connection.channel();
  }

  /** Ends the connection, and with it all calls and watches. A second time does nothing. */
  @Override
  public void close() {
    connection.close();
  }

  /** Says how to connect. Whatever is not said has the default of its method's description. */
  public static final class Builder {
    private final Map<String, String> environment = System.getenv();
    private String address;
    private String token;
    private String origin = "";
    private Optional<Tls> tls = Optional.empty();
    private Duration timeout = Duration.ofSeconds(10);
    private Duration connectTimeout = Duration.ofSeconds(5);
    private ObjectMapper mapper = Values.strictMapper();

    private Builder() {}

    /**
     * {@code HOST:PORT} or {@code unix:/path}. Default: {@code MEMORYD_ADDRESS}, else {@code
     * 127.0.0.1:7600}.
     */
    public Builder address(String address) {
      this.address = address;
      return this;
    }

    /** The bearer token. Default: {@code MEMORYD_TOKEN}, else none. */
    public Builder token(String token) {
      this.token = token;
      return this;
    }

    /** A name for this writer, which its events carry. Default: none. */
    public Builder origin(String origin) {
      this.origin = Objects.requireNonNull(origin, "origin");
      return this;
    }

    /** Speaks TLS. Default: not. */
    public Builder tls(Tls tls) {
      this.tls = Optional.of(tls);
      return this;
    }

    /**
     * How long a call may take with all its attempts: a daemon that restarts meanwhile is waited
     * for. Default: 10 seconds.
     */
    public Builder timeout(Duration timeout) {
      this.timeout = positive(timeout);
      return this;
    }

    /** How long a daemon that was never there is asked again. Default: 5 seconds. */
    public Builder connectTimeout(Duration timeout) {
      this.connectTimeout = positive(timeout);
      return this;
    }

    /**
     * What turns values into JSON and back. Default: Jackson's own mapper, told to convert nothing
     * silently, such as text to a number.
     */
    public Builder objectMapper(ObjectMapper mapper) {
      this.mapper = Objects.requireNonNull(mapper, "mapper");
      return this;
    }

    /**
     * Answers the client, which is connected by its first call.
     *
     * @throws io.memoryd.client.error.InvalidTargetException if the address names no daemon, or a
     *     TLS file cannot be used
     */
    public MemorydClient connect() {
      ClientSettings settings =
          new ClientSettings(
              Target.of(address, environment),
              tls,
              token == null ? environment.getOrDefault("MEMORYD_TOKEN", "") : token,
              origin,
              timeout,
              connectTimeout,
              mapper);
      return new MemorydClient(new Connection(settings), Target.chosen(address, environment));
    }

    private static Duration positive(Duration timeout) {
      if (timeout.isNegative() || timeout.isZero()) {
        throw new IllegalArgumentException("a timeout is more than zero, not " + timeout);
      }
      return timeout;
    }
  }
}
