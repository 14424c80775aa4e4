package io.memoryd.conformance.scenarios;

/** The reason why a scenario failed. */
final class ScenarioFailure extends RuntimeException {
  ScenarioFailure(String message) {
    super(message, null, false, false);
  }

  /** Returns this failure with the place where it happened. */
  ScenarioFailure at(String place) {
    return new ScenarioFailure(place + ": " + getMessage());
  }
}
