package io.memoryd.conformance.scenarios;

/** The options of a wrapper cannot say a request, such as one for a certain page of a list. */
final class Unsayable extends RuntimeException {
  Unsayable(String message) {
    super(message);
  }
}
