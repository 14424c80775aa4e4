/** A small plot of the newest values of something, the latest at the right. */
export function Plot({ values, label }: { values: readonly number[]; label: string }) {
  const width = 160;
  const height = 36;
  const top = Math.max(1e-9, ...values) * 1.1;
  const step = width / Math.max(1, 59);
  const start = width - (values.length - 1) * step;
  const points = values.map((value, index) => `${start + index * step},${height - (value / top) * height}`);
  return (
    <svg class="plot" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label} preserveAspectRatio="none">
      {points.length > 1 && (
        <>
          <polygon points={`${start},${height} ${points.join(" ")} ${width},${height}`} />
          <polyline points={points.join(" ")} />
        </>
      )}
    </svg>
  );
}

/** A part of a maximum, as a bar. */
export function Meter({ value, max, label }: { value: number; max: number; label: string }) {
  const part = max > 0 ? Math.min(1, value / max) : 0;
  return (
    <div
      class={part >= 0.8 ? "meter full" : "meter"}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={value}
    >
      <div style={{ width: `${part * 100}%` }} />
    </div>
  );
}
