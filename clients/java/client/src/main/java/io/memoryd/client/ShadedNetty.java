package io.memoryd.client;

import io.grpc.ManagedChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import java.time.Duration;

/** What the client sets of its default transport. Not loaded where there is another one. */
final class ShadedNetty {
  private ShadedNetty() {}

  static void limitConnecting(ManagedChannelBuilder<?> builder, Duration timeout) {
    int millis = (int) Math.min(timeout.toMillis(), Integer.MAX_VALUE);
    ((NettyChannelBuilder) builder).withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, millis);
  }
}
