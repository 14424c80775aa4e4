import { useEffect, useState } from "preact/hooks";

const STEP_MS = 1_000;
const listeners = new Set<(now: number) => void>();

setInterval(() => {
  const now = Date.now();
  for (const listener of listeners) listener(now);
}, STEP_MS);

function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    listeners.add(setNow);
    return () => {
      listeners.delete(setNow);
    };
  }, []);
  return now;
}

/** How long ago something was. */
export function Age({ time }: { time: string | undefined }) {
  const now = useNow();
  if (!time) return null;
  const passed = now - Date.parse(time);
  return (
    <time dateTime={time} title={whole(time)}>
      {passed < STEP_MS ? "just now" : `${span(passed)} ago`}
    </time>
  );
}

/** A deadline that runs down. */
export function Deadline({ time }: { time: string | undefined }) {
  const now = useNow();
  if (!time) return null;
  const left = Date.parse(time) - now;
  return (
    <time class={left < 60_000 ? "deadline soon" : "deadline"} dateTime={time} title={`expires ${whole(time)}`}>
      {left <= 0 ? "expired" : `${span(left)} left`}
    </time>
  );
}

/** How long something has been so. */
export function Since({ time }: { time: string }) {
  return <>{span(Math.max(0, useNow() - Date.parse(time)))}</>;
}

function whole(time: string): string {
  return new Date(time).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
}

function span(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24).toLocaleString("en")} days`;
}
