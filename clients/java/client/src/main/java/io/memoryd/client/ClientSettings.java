package io.memoryd.client;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.Optional;

/** What a client is set to. A blank token or origin is none. */
record ClientSettings(
    Target target,
    Optional<Tls> tls,
    String token,
    String origin,
    Duration timeout,
    Duration connectTimeout,
    ObjectMapper mapper) {}
