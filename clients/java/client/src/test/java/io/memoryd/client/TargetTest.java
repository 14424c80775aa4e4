package io.memoryd.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.memoryd.client.error.InvalidTargetException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TargetTest {
  private static final Map<String, String> ENVIRONMENT = Map.of("MEMORYD_ADDRESS", "there:7601");

  @Test
  void anAddressIsAHostAndAPort() {
    assertEquals(new Target.Tcp("localhost", 7600), Target.of("localhost:7600", Map.of()));
    assertEquals(new Target.Tcp("::1", 7600), Target.of("[::1]:7600", Map.of()));
  }

  @Test
  void anAddressMayBeAUnixSocket() {
    assertEquals(
        new Target.UnixSocket("unix:/run/m.sock"), Target.of("unix:/run/m.sock", Map.of()));
  }

  @Test
  void theEnvironmentProvidesTheDefaultAddress() {
    assertEquals(new Target.Tcp("there", 7601), Target.of(null, ENVIRONMENT));
    assertEquals(new Target.Tcp("there", 7601), Target.of("", ENVIRONMENT));
    assertEquals(new Target.Tcp("here", 1), Target.of("here:1", ENVIRONMENT));
  }

  @Test
  void withoutAnAddressTheDaemonIsOnThisMachine() {
    assertEquals(new Target.Tcp("127.0.0.1", 7600), Target.of(null, Map.of()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost",
        ":7600",
        "localhost:",
        "localhost:0",
        "localhost:65536",
        "localhost:http",
        "::1:7600",
        "unix:",
        "unix://",
        "dns:///localhost:7600"
      })
  void anyOtherTextIsRefused(String address) {
    assertThrows(InvalidTargetException.class, () -> Target.of(address, Map.of()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "memory.example:1",
        "10.0.0.1:1",
        "[::2]:1",
        "[1::1]:1",
        "127.0.0.1.example:1",
        "0.0.0.0:1"
      })
  void aTokenIsSentToAnotherMachineOnlyByTlsOrOnRequest(String address) {
    MemorydClient.Builder builder = MemorydClient.builder().address(address).token("secret");
    String message = assertThrows(InvalidTargetException.class, builder::connect).getMessage();
    assertEquals(
        "the token would be sent to "
            + address
            + " in the clear: use TLS, or allow it by insecureToken",
        message);
    builder.insecureToken(true).connect().close();
    builder.insecureToken(false).tls(Tls.DEFAULT).connect().close();
    MemorydClient.builder().address(address).token("").connect().close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1:1",
        "127.8.8.8:1",
        "localhost:1",
        "LOCALHOST:1",
        "[::1]:1",
        "[0:0:0:0:0:0:0:1]:1",
        "unix:/run/m.sock"
      })
  void aTokenMayBeSentWithinThisMachine(String address) {
    MemorydClient.builder().address(address).token("secret").connect().close();
  }

  @Test
  void tlsFilesThatCannotBeReadAreRefused() {
    Tls tls = Tls.DEFAULT.withCaFile(Path.of("/no/such/file"));
    MemorydClient.Builder builder = MemorydClient.builder().address("localhost:1").tls(tls);
    assertThrows(InvalidTargetException.class, builder::connect);
  }
}
