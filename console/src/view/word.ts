/** Names of the contract as words. */

/** Return `last access time` for `lastAccessTime` and `last_access_time`. */
export function titleOf(name: string): string {
  if (name === "valueJson") return "value";
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/_/g, " ");
}

/**
 * Return the words of an enum's value: `fact` for `ENTRY_TYPE_FACT`.
 *
 * @param prefix The enum's name in capitals; by default, all up to `TYPE_`, `STATUS_` and the like.
 */
export function wordOf(value: string | undefined, prefix?: string): string {
  const text = prefix ? value?.replace(prefix, "") : value?.replace(/^.*?_(TYPE|STATUS|ROLE|STATE|CAUSE|KIND)_/, "");
  return (text ?? "").toLowerCase().replaceAll("_", " ");
}

/** Return a number with separators; 64-bit ones come as text. */
export function count(value: string | number | undefined): string {
  return Number(value ?? 0).toLocaleString("en");
}

/** Return a size in bytes with a unit. */
export function size(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  for (const [index, unit] of ["KiB", "MiB", "GiB"].entries()) {
    const value = bytes / 1_024 ** (index + 1);
    if (value < 1_024 || unit === "GiB") return `${value.toFixed(value < 10 ? 1 : 0)} ${unit}`;
  }
  return "";
}
