package io.memoryd.client;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.memoryd.client.error.InvalidTargetException;
import java.util.concurrent.TimeUnit;

/** Opens the channel of all calls. */
final class Transport {
  private static final int MESSAGE_BYTES_MAX = 64 * 1024 * 1024;
  private static final long KEEPALIVE_SECONDS = 20;
  private static final long KEEPALIVE_TIMEOUT_SECONDS = 10;
  // From this many days on gRPC disables the idle timeout, so that pings continue without calls.
  private static final long IDLE_DAYS = 30;

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
    return builder
        // The daemon refuses versions with which it does not work.
        .userAgent("memoryd-java/" + Version.VERSION)
        .keepAliveTime(KEEPALIVE_SECONDS, TimeUnit.SECONDS)
        .keepAliveTimeout(KEEPALIVE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .keepAliveWithoutCalls(true)
        .idleTimeout(IDLE_DAYS, TimeUnit.DAYS)
        .maxInboundMessageSize(MESSAGE_BYTES_MAX)
        .disableServiceConfigLookUp()
        // The daemon runs near its client: never go through a web proxy.
        .proxyDetector(address -> null)
        .build();
  }

  private static ManagedChannelBuilder<?> builder(
      ClientSettings settings, ChannelCredentials credentials) {
    if (settings.target() instanceof Target.Tcp tcp) {
      int connectMillis = (int) Math.min(settings.connectTimeout().toMillis(), Integer.MAX_VALUE);
      return NettyChannelBuilder.forAddress(tcp.host(), tcp.port(), credentials)
          .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, connectMillis);
    }
    // gRPC's own transport for unix sockets.
    return Grpc.newChannelBuilder(((Target.UnixSocket) settings.target()).address(), credentials);
  }
}
