package io.memoryd.client.live;

import io.memoryd.client.Agent;
import io.memoryd.client.MemorydClient;
import java.util.UUID;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Provides tests with a client of the daemon at MEMORYD_ADDRESS, and an agent of their own. */
final class LiveDaemon implements BeforeEachCallback, AfterEachCallback, ParameterResolver {
  private static final String NO_ADDRESS = "MEMORYD_ADDRESS names no daemon to test against";

  private MemorydClient client;

  @Override
  public void beforeEach(ExtensionContext context) {
    if (System.getenv().getOrDefault("MEMORYD_ADDRESS", "").isEmpty()) {
      if ("true".equals(System.getenv("CI"))) {
        Assertions.fail(NO_ADDRESS);
      }
      // Without this, a quiet build does not report skipped tests.
      String test = context.getRequiredTestClass().getSimpleName() + "." + context.getDisplayName();
      System.err.println("skipped " + test + ": " + NO_ADDRESS);
      Assumptions.abort(NO_ADDRESS);
    }
  }

  @Override
  public void afterEach(ExtensionContext context) {
    if (client != null) {
      client.close();
      client = null;
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == MemorydClient.class || type == Agent.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    if (client == null) {
      client = MemorydClient.builder().origin("java-tests").connect();
    }
    boolean agent = parameter.getParameter().getType() == Agent.class;
    return agent ? client.agent("java-" + UUID.randomUUID()) : client;
  }
}
