/** The token of this tab: it is gone once the tab is closed, and no other page can read it. */

const KEY = "memoryd.token";

export function token(): string {
  return sessionStorage.getItem(KEY) ?? "";
}

/** Use another token from now on. Empty to use none. */
export function setToken(value: string): void {
  if (value) sessionStorage.setItem(KEY, value);
  else sessionStorage.removeItem(KEY);
}
