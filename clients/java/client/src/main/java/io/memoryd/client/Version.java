package io.memoryd.client;

/** The version of this client, which every call names to the daemon. */
final class Version {
  static final String VERSION = "0.1.0";

  private Version() {}
}
