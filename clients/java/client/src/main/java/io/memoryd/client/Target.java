package io.memoryd.client;

import io.memoryd.client.error.InvalidTargetException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The daemon's address. */
sealed interface Target {
  String DEFAULT = "127.0.0.1:7600";
  String ADDRESS_VARIABLE = "MEMORYD_ADDRESS";

  /** A TCP port. An IPv6 host is without the brackets of the address. */
  record Tcp(String host, int port) implements Target {
    // An IPv6 host needs brackets: without them the start of the port is ambiguous.
    private static final Pattern PATTERN =
        Pattern.compile("(?:\\[(?<bracketed>[^\\]]+)\\]|(?<plain>[^:\\[\\]]+)):(?<port>\\d{1,5})");
    private static final String BYTE = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
    private static final Pattern LOOPBACK =
        Pattern.compile("(?i)localhost|127(?:\\." + BYTE + "){3}|(?:0{0,4}:){2,7}0{0,3}1");

    @Override
    public void checkSecrecy() {
      if (!LOOPBACK.matcher(host).matches()) {
        String shown = host.contains(":") ? "[" + host + "]" : host;
        throw new InvalidTargetException(
            "the token would be sent to "
                + shown
                + ":"
                + port
                + " in the clear: use TLS, or allow it by insecureToken");
      }
    }
  }

  /** A unix socket, as {@code unix:/path}. */
  record UnixSocket(String address) implements Target {
    private static final Pattern PATTERN = Pattern.compile("unix:(?!/*$).+");

    @Override
    public void checkSecrecy() {
      // A socket is on this machine.
    }
  }

  /**
   * Checks that a token that is sent without TLS cannot be read on its way. On this machine it
   * cannot. A host name other than localhost may be that of another machine.
   *
   * @throws InvalidTargetException if it can
   */
  void checkSecrecy();

  /**
   * Parses an address. If it is null or empty, parses that of the environment, else the default.
   */
  static Target of(@Nullable String address, Map<String, String> environment) {
    String chosen = chosen(address, environment);
    if (UnixSocket.PATTERN.matcher(chosen).matches()) {
      return new UnixSocket(chosen);
    }
    Matcher tcp = Tcp.PATTERN.matcher(chosen);
    int port = tcp.matches() ? Integer.parseInt(tcp.group("port")) : 0;
    if (chosen.startsWith("unix:") || port < 1 || port > 65_535) {
      throw new InvalidTargetException(
          "the address \"" + chosen + "\" is neither HOST:PORT nor unix:/path");
    }
    String bracketed = tcp.group("bracketed");
    return new Tcp(bracketed == null ? tcp.group("plain") : bracketed, port);
  }

  /** Returns the address that {@link #of} parses. */
  static String chosen(@Nullable String address, Map<String, String> environment) {
    if (address != null && !address.isEmpty()) {
      return address;
    }
    String fromEnvironment = environment.getOrDefault(ADDRESS_VARIABLE, "");
    return fromEnvironment.isEmpty() ? DEFAULT : fromEnvironment;
  }
}
