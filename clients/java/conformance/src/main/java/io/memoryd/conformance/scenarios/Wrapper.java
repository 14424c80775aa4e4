package io.memoryd.conformance.scenarios;

import java.util.List;

/**
 * How the wrapper of a method is called.
 *
 * @param kind the method of the agent that returns the kind; empty if the agent itself has it
 * @param method the method of the kind
 * @param erasing the method that also erases; empty if the request cannot, or has an option for it
 * @param condition the field of RecordFilter whose conditions are among the options; empty if there
 *     is none
 * @param positional the arguments before the options
 */
record Wrapper(
    String kind, String method, String erasing, String condition, List<String> positional) {
  Wrapper(String kind, String method, String erasing, String condition, String... positional) {
    this(kind, method, erasing, condition, List.of(positional));
  }
}
