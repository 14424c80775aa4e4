package io.memoryd.client;

import io.grpc.ChannelCredentials;
import io.grpc.TlsChannelCredentials;
import io.memoryd.client.error.InvalidTargetException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The options of TLS. Immutable: each {@code with} method returns a copy.
 *
 * @param caFile the certificates to trust (PEM) instead of those of the Java runtime
 * @param certificateFile the client's own certificate chain (PEM), for mutual TLS
 * @param keyFile the private key of that certificate (PEM, PKCS #8)
 * @param serverName the name to verify in the server's certificate instead of the target's host
 */
public record Tls(
    Optional<Path> caFile,
    Optional<Path> certificateFile,
    Optional<Path> keyFile,
    Optional<String> serverName) {
  /** Trusts the certificates of the Java runtime, and presents no client certificate. */
  public static final Tls DEFAULT =
      new Tls(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  /** Trusts the certificates in a PEM file instead of those of the Java runtime. */
  public Tls withCaFile(Path file) {
    return new Tls(Optional.of(file), certificateFile, keyFile, serverName);
  }

  /**
   * Presents this client certificate, for mutual TLS. Both files are PEM, and the key is PKCS #8.
   */
  public Tls withClientCertificate(Path certificate, Path key) {
    return new Tls(caFile, Optional.of(certificate), Optional.of(key), serverName);
  }

  /** Verifies this name in the server's certificate instead of the target's host. */
  public Tls withServerName(String name) {
    return new Tls(caFile, certificateFile, keyFile, Optional.of(name));
  }

  ChannelCredentials credentials() {
    if (certificateFile.isPresent() != keyFile.isPresent()) {
      throw new InvalidTargetException(
          "a client certificate needs both certificateFile and keyFile");
    }
    TlsChannelCredentials.Builder credentials = TlsChannelCredentials.newBuilder();
    try {
      if (caFile.isPresent()) {
        credentials.trustManager(caFile.get().toFile());
      }
      if (certificateFile.isPresent()) {
        credentials.keyManager(certificateFile.get().toFile(), keyFile.get().toFile());
      }
    } catch (IOException unread) {
      throw new InvalidTargetException("a TLS file cannot be read: " + unread.getMessage(), unread);
    }
    return credentials.build();
  }
}
