/** Does over the wrapper what it is told line by line. */
package io.memoryd.conformance.drive;
