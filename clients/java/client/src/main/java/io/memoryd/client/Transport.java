package io.memoryd.client;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.memoryd.client.error.InvalidTargetException;
import java.util.concurrent.TimeUnit;

/** Opens the channel of all calls. */
final class Transport {
  private static final int MESSAGE_BYTES_MAX = 64 * 1024 * 1024;
  private static final long KEEPALIVE_SECONDS = 20;
  private static final long KEEPALIVE_TIMEOUT_SECONDS = 10;
  // From this many days on gRPC disables the idle timeout, so that pings continue without calls.
  private static final long IDLE_DAYS = 30;
  private static final String SHADED_NETTY =
      "io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder";

  private Transport() {}

  static ManagedChannel open(ClientSettings settings) {
    ChannelCredentials credentials =
        settings.tls().map(Tls::credentials).orElseGet(InsecureChannelCredentials::create);
    ManagedChannelBuilder<?> builder;
    try {
      builder = builder(settings, credentials);
    } catch (IllegalArgumentException refused) {
      throw new InvalidTargetException(
          "the address or the TLS files cannot be used: " + refused.getMessage(), refused);
    }
    settings.tls().flatMap(Tls::serverName).ifPresent(builder::overrideAuthority);
    builder
        // The daemon refuses versions with which it does not work.
        .userAgent("memoryd-java/" + Version.VERSION)
        .keepAliveTime(KEEPALIVE_SECONDS, TimeUnit.SECONDS)
        .keepAliveTimeout(KEEPALIVE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .keepAliveWithoutCalls(true)
        .idleTimeout(IDLE_DAYS, TimeUnit.DAYS)
        .maxInboundMessageSize(MESSAGE_BYTES_MAX)
        .disableServiceConfigLookUp()
        // The daemon runs near its client: never go through a web proxy.
        .proxyDetector(address -> null);
    return settings.channelCustomizer().apply(builder).build();
  }

  private static ManagedChannelBuilder<?> builder(
      ClientSettings settings, ChannelCredentials credentials) {
    if (settings.target() instanceof Target.UnixSocket socket) {
      return Grpc.newChannelBuilder(socket.address(), credentials);
    }
    Target.Tcp tcp = (Target.Tcp) settings.target();
    ManagedChannelBuilder<?> builder =
        Grpc.newChannelBuilderForAddress(tcp.host(), tcp.port(), credentials);
    // Other transports, which a program may have instead, have a timeout of their own.
    if (builder.getClass().getName().equals(SHADED_NETTY)) {
      ShadedNetty.limitConnecting(builder, settings.connectTimeout());
    }
    return builder;
  }
}
