/**
 * A real daemon for the tests of programs that use memoryd. {@link
 * io.memoryd.client.testing.MemorydExtension} is an extension of JUnit from version 5.13 on, which
 * the program's tests depend on by themselves; {@link io.memoryd.client.testing.TestDaemon} needs
 * no JUnit.
 */
@NullMarked
package io.memoryd.client.testing;

import org.jspecify.annotations.NullMarked;
