package io.memoryd.client;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;

/**
 * The near caches of a client by their agents. Each change that the client makes ends once those of
 * its agent have it.
 */
final class NearCopies implements ClientInterceptor {
  private final Map<String, List<NearCopy>> byAgent = new ConcurrentHashMap<>();
  private final ScheduledExecutorService timer;

  NearCopies(ScheduledExecutorService timer) {
    this.timer = timer;
  }

  void enter(NearCopy copy) {
    byAgent.merge(copy.agentId(), List.of(copy), NearCopies::joined);
  }

  void exit(NearCopy copy) {
    byAgent.computeIfPresent(
        copy.agentId(),
        (agentId, copies) -> {
          List<NearCopy> others = copies.stream().filter(each -> each != copy).toList();
          return others.isEmpty() ? null : others;
        });
  }

  /** Closes all near caches. */
  void close() {
    ofAll().forEach(NearCopy::close);
  }

  boolean isEmpty() {
    return byAgent.isEmpty();
  }

  List<NearCopy> of(String agentId) {
    return byAgent.getOrDefault(agentId, List.of());
  }

  List<NearCopy> ofAll() {
    return byAgent.values().stream().flatMap(List::stream).toList();
  }

  @Override
  public <Q, S> ClientCall<Q, S> interceptCall(
      MethodDescriptor<Q, S> method, CallOptions options, Channel next) {
    ClientCall<Q, S> call = next.newCall(method, options);
    boolean changes = method.getType() == MethodType.UNARY && !method.isSafe();
    return changes ? new NearCall<>(call, this, timer, options.getExecutor()) : call;
  }

  private static List<NearCopy> joined(List<NearCopy> some, List<NearCopy> others) {
    List<NearCopy> all = new ArrayList<>(some);
    all.addAll(others);
    return List.copyOf(all);
  }
}
