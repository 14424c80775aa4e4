package io.memoryd.client;

import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** The records of a listing, which are read page by page. */
final class Pages {
  static final int SIZE = 1_000;

  private Pages() {}

  /**
   * Returns the records of all pages.
   *
   * @param page reads the page of a token, which is empty for the first one
   * @param next returns the token of the page after one, or an empty one
   * @param records returns the records of a page
   */
  static <P, R> Stream<R> read(
      Function<String, P> page, Function<P, String> next, Function<P, List<R>> records) {
    UnaryOperator<P> following =
        read -> next.apply(read).isEmpty() ? null : page.apply(next.apply(read));
    return Stream.iterate(page.apply(""), Objects::nonNull, following)
        .flatMap(each -> records.apply(each).stream());
  }
}
