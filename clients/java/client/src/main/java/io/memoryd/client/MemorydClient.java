package io.memoryd.client;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.grpc.Channel;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannelBuilder;
import io.memoryd.v1.WatchEventsRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

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
 * <p>Everything else, such as snapshots and statistics, is called on the services of the contract.
 * Their calls have the same timeout, unless they are given another one, and the same request ids
 * and retries, and throw the same errors. Streams have no timeout.
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

  /** Returns the service for the daemon's version, limits, backend and durability. */
  public ServerService serverService() {
    return new ServerService(connection, CallTimeout.DEFAULT);
  }

  /** Returns the service for agents as a whole: listing, statistics, clearing. */
  public AgentService agentService() {
    return new AgentService(connection, CallTimeout.DEFAULT);
  }

  /** Returns the service for entries and scopes. */
  public WorkingMemoryService workingMemoryService() {
    return new WorkingMemoryService(connection, CallTimeout.DEFAULT);
  }

  /** Returns the service for the buffer of fragments. */
  public FragmentService fragmentService() {
    return new FragmentService(connection, CallTimeout.DEFAULT);
  }

  /** Returns the service for an agent's long-term memories. */
  public LongTermMemoryService longTermMemoryService() {
    return new LongTermMemoryService(connection, CallTimeout.DEFAULT);
  }

  /** Returns the service for notes: titled, editable texts that go into every prompt. */
  public NoteService noteService() {
    return new NoteService(connection, CallTimeout.DEFAULT);
  }

  /**
   * Returns the service for the contexts that are composed for a model, and for numbers of tokens.
   */
  public ContextService contextService() {
    return new ContextService(connection, CallTimeout.DEFAULT);
  }

  /** Returns the service for conversations and their messages. */
  public ConversationService conversationService() {
    return new ConversationService(connection, CallTimeout.DEFAULT);
  }

  /**
   * Returns the service for the entities that an agent's tools touched last in each conversation.
   */
  public EntityService entityService() {
    return new EntityService(connection, CallTimeout.DEFAULT);
  }

  /** Returns the service for plans: the goals of conversations and their ordered steps. */
  public PlanService planService() {
    return new PlanService(connection, CallTimeout.DEFAULT);
  }

  /**
   * Returns the service for transactions: several changes of one agent, of all kinds, that are made
   * as one.
   */
  public TransactionService transactionService() {
    return new TransactionService(connection, CallTimeout.DEFAULT);
  }

  /**
   * Returns the service for documents: source text that is rendered whole or searched in chunks.
   */
  public DocumentService documentService() {
    return new DocumentService(connection, CallTimeout.DEFAULT);
  }

  /** Returns the service for past events. */
  public EventService eventService() {
    return new EventService(connection, CallTimeout.DEFAULT);
  }

  /**
   * Returns the service for snapshots. Changes of snapshots may need a longer deadline than other
   * calls: {@code snapshotService().withTimeout(Duration.ofMinutes(5))}.
   */
  public SnapshotService snapshotService() {
    return new SnapshotService(connection, CallTimeout.DEFAULT);
  }

  /**
   * Returns the service for operations: requests that take long, carried out without a call that
   * waits for them.
   */
  public OperationService operationService() {
    return new OperationService(connection, CallTimeout.DEFAULT);
  }

  /**
   * Returns the channel for generated stubs, such as to stream requests. Their calls have the
   * client's timeout, request ids and retries, too. They throw {@link
   * io.grpc.StatusRuntimeException}, which {@link
   * io.memoryd.client.error.CallFailedException#from(io.grpc.StatusRuntimeException)} converts.
   * Closed with the client.
   */
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
    private @Nullable String address;
    private @Nullable String token;
    private String origin = "";
    private Optional<Tls> tls = Optional.empty();
    private boolean insecureToken;
    private Duration timeout = Duration.ofSeconds(10);
    private Duration connectTimeout = Duration.ofSeconds(5);
    private Optional<Duration> batching = Optional.empty();
    private ObjectMapper mapper = Values.strictMapper();
    private final List<ClientInterceptor> interceptors = new ArrayList<>();
    private UnaryOperator<ManagedChannelBuilder<?>> customizer = UnaryOperator.identity();

    private Builder() {}

    /**
     * Sets the address, {@code HOST:PORT} or {@code unix:/path}. Default: {@code MEMORYD_ADDRESS},
     * else {@code 127.0.0.1:7600}.
     */
    public Builder address(@Nullable String address) {
      this.address = address;
      return this;
    }

    /** Sets the bearer token. Default: {@code MEMORYD_TOKEN}, else none. */
    public Builder token(@Nullable String token) {
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
     * Sends gets, sets and removes of entries together that several threads call within this time,
     * such as a millisecond, for which each of them waits. Each has the result and the error that
     * it has by itself. Default: each is sent by itself.
     *
     * @throws IllegalArgumentException unless the time is positive; {@link #connect} throws it for
     *     one that is longer than the timeout of a call
     */
    public Builder batching(Duration window) {
      this.batching = Optional.of(positive(window));
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
     * Adds interceptors, such as for tracing. They see each call once, whatever its retries, and
     * watches as often as they connect. The first one is called first.
     */
    public Builder intercept(ClientInterceptor... interceptors) {
      this.interceptors.addAll(List.of(interceptors));
      return this;
    }

    /**
     * Sets a function that changes the channel's builder, such as to add interceptors that see each
     * attempt of a call, or returns another builder instead, such as of a channel within the
     * process. Another builder has none of the settings of address, TLS and pings. Default: none.
     */
    public Builder customizeChannel(UnaryOperator<ManagedChannelBuilder<?>> customizer) {
      this.customizer = Objects.requireNonNull(customizer, "customizer");
      return this;
    }

    /**
     * Returns the client. Its first call connects it.
     *
     * @throws io.memoryd.client.error.InvalidTargetException if the address or a TLS file cannot be
     *     used, or if a token would be sent to another machine without TLS
     */
    public MemorydClient connect() {
      if (batching.isPresent() && batching.get().compareTo(timeout) > 0) {
        throw new IllegalArgumentException(
            "calls cannot wait for others longer than their timeout, " + timeout);
      }
      Target target = Target.of(address, environment);
      String chosen = token == null ? environment.getOrDefault("MEMORYD_TOKEN", "") : token;
      if (!chosen.isEmpty() && tls.isEmpty() && !insecureToken) {
        target.checkSecrecy();
      }
      ClientSettings settings =
          new ClientSettings(
              target,
              tls,
              chosen,
              origin,
              timeout,
              connectTimeout,
              batching,
              mapper,
              List.copyOf(interceptors),
              customizer);
      return new MemorydClient(new Connection(settings), Target.chosen(address, environment));
    }

    private static Duration positive(Duration timeout) {
      if (timeout.isNegative() || timeout.isZero()) {
        throw new IllegalArgumentException("a time must be positive, not " + timeout);
      }
      return timeout;
    }
  }
}
