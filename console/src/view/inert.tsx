import { useState } from "preact/hooks";

const CHARACTERS_MAX = 600;

/** Text of anybody's: never markup, apart from the text around it in its direction, and short until asked for. */
export function Inert({ text, max = CHARACTERS_MAX }: { text: string; max?: number }) {
  const [isWhole, setWhole] = useState(false);
  if (text.length <= max) return <bdi class="inert">{text}</bdi>;
  return (
    <>
      <bdi class="inert">{isWhole ? text : `${text.slice(0, max)}…`}</bdi>{" "}
      <button
        type="button"
        class="link"
        onClick={() => {
          setWhole(!isWhole);
        }}
      >
        {isWhole ? "Show less" : `Show all ${text.length.toLocaleString("en")} characters`}
      </button>
    </>
  );
}

/** The beginning of a text on one line. */
export function Line({ text }: { text: string }) {
  return <bdi class="line">{text.slice(0, 300)}</bdi>;
}
