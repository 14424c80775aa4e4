/** The program that the conformance tests run. */
package io.memoryd.conformance;
