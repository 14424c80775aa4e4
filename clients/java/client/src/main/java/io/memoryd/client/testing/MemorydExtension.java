package io.memoryd.client.testing;

import io.memoryd.client.Agent;
import io.memoryd.client.MemorydClient;
import java.util.Set;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Resolves the parameters of tests: a {@link TestDaemon}, a {@link MemorydClient} of it, or an
 * {@link Agent} that no other test uses.
 *
 * <pre>{@code
 * @ExtendWith(MemorydExtension.class)
 * class AssistantTest {
 *   @Test
 *   void itRemembersAMood(Agent agent) {
 *     agent.set("mood", "curious");
 *   }
 * }
 * }</pre>
 *
 * <p>All tests share one daemon, which starts with the first that needs it. For a daemon with
 * settings of its own, start a {@link TestDaemon}.
 */
public final class MemorydExtension implements ParameterResolver {
  private static final Namespace NAMESPACE = Namespace.create(MemorydExtension.class);
  private static final Set<Class<?>> TYPES =
      Set.of(TestDaemon.class, MemorydClient.class, Agent.class);

  /** Creates the extension, as JUnit does. */
  public MemorydExtension() {}

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return TYPES.contains(parameter.getParameter().getType());
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    TestDaemon daemon = daemon(context.getRoot().getStore(NAMESPACE));
    Class<?> type = parameter.getParameter().getType();
    if (type == TestDaemon.class) {
      return daemon;
    }
    MemorydClient client = client(context.getStore(NAMESPACE), daemon);
    return type == MemorydClient.class ? client : daemon.newAgent(client);
  }

  // JUnit closes what is in a store at the end of its context. The store's own methods that compute
  // a value have other names in each major version.
  private static synchronized TestDaemon daemon(Store store) {
    TestDaemon daemon = store.get(TestDaemon.class, TestDaemon.class);
    if (daemon == null) {
      daemon = TestDaemon.start();
      store.put(TestDaemon.class, daemon);
    }
    return daemon;
  }

  private static MemorydClient client(Store store, TestDaemon daemon) {
    MemorydClient client = store.get(MemorydClient.class, MemorydClient.class);
    if (client == null) {
      client = MemorydClient.builder().address(daemon.address()).connect();
      store.put(MemorydClient.class, client);
    }
    return client;
  }
}
