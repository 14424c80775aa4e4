/** Plays scenario files over the generated stubs. */
package io.memoryd.conformance.scenarios;
