package io.memoryd.client;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannelBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** The settings of a client. An empty token or origin means none. */
record ClientSettings(
    Target target,
    Optional<Tls> tls,
    String token,
    String origin,
    Duration timeout,
    Duration connectTimeout,
    Optional<Duration> batching,
    ObjectMapper mapper,
    List<ClientInterceptor> interceptors,
    UnaryOperator<ManagedChannelBuilder<?>> channelCustomizer) {}
