package io.memoryd.client;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.Optional;

/** The settings of a client. An empty token or origin means none. */
record ClientSettings(
    Target target,
    Optional<Tls> tls,
    String token,
    String origin,
    Duration timeout,
    Duration connectTimeout,
    ObjectMapper mapper) {}
