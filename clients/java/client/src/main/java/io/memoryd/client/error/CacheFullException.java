package io.memoryd.client.error;

/** The records of a near cache take more memory than it may. */
public final class CacheFullException extends MemorydException {
  /** Creates the error for a near cache with this limit. */
  public CacheFullException(long bytesMax) {
    super("the near cache is full: its records take more than " + bytesMax + " bytes", null);
  }
}
