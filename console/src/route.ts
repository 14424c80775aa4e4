import { useLayoutEffect, useState } from "preact/hooks";

/** Return the parts of the page's address behind `#`: those of `#/agents/a%2Fb/notes` are `agents`, `a/b` and `notes`. */
export function useRoute(): readonly string[] {
  const [hash, setHash] = useState(location.hash);
  // Not later: a click or a key may be faster than what runs once the page is drawn.
  useLayoutEffect(() => {
    const note = () => {
      setHash(location.hash);
    };
    window.addEventListener("hashchange", note);
    return () => {
      window.removeEventListener("hashchange", note);
    };
  }, []);
  return hash
    .replace(/^#?\/?/, "")
    .split("/")
    .map(decoded);
}

/** Return the address of a screen. */
export function to(...parts: readonly string[]): string {
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
