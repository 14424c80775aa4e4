/**
 * The client of memoryd: {@link io.memoryd.client.MemorydClient} connects, {@link
 * io.memoryd.client.WorkingMemory} has the entries of an agent or a scope, {@link
 * io.memoryd.client.Watch} the events.
 */
package io.memoryd.client;
