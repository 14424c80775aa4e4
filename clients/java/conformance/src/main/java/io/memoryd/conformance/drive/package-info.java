/** Runs commands with the client, each a line of standard input. */
package io.memoryd.conformance.drive;
