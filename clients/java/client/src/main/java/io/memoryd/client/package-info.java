/**
 * The client of memoryd, the memory daemon for AI agents. {@link io.memoryd.client.MemorydClient}
 * connects to a daemon, {@link io.memoryd.client.WorkingMemory} reads and writes the entries of an
 * agent or a scope, and {@link io.memoryd.client.Watch} streams events.
 */
@NullMarked
package io.memoryd.client;

import org.jspecify.annotations.NullMarked;
