package io.memoryd.conformance.scenarios;

/** Why a scenario has not passed. */
final class ScenarioFailure extends RuntimeException {
  ScenarioFailure(String message) {
    super(message, null, false, false);
  }

  /** Answers this failure, told where it happened. */
  ScenarioFailure at(String place) {
    return new ScenarioFailure(place + ": " + getMessage());
  }
}
