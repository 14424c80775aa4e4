package io.memoryd.client;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class VersionTest {
  @Test
  void aCallNamesTheVersionOfTheClient() throws IOException {
    try (RecordingDaemon daemon = new RecordingDaemon()) {
      daemon.agent().clear();
      String sent = daemon.userAgent();
      assertTrue(sent.startsWith("memoryd-java/" + Version.VERSION + " "), sent);
    }
  }
}
