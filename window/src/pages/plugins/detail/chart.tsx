/** Size of the drawing; it is stretched to its place. */
const kWidth = 240;
const kHeight = 56;

export interface ChartProps {
  title: string;
  /** Oldest first. */
  values: readonly number[];
  /** How many values the width holds: fewer leave room at the left. */
  capacity: number;
  format(value: number): string;
  /** A value the chart shows at least, so that noise around zero stays low. */
  least: number;
}

/** A small line chart with its present value; the same in words for screen readers. */
export function Chart({ title, values, capacity, format, least }: ChartProps) {
  const now = values.at(-1);
  const top = Math.max(least, ...values);
  const low = values.length === 0 ? 0 : Math.min(...values);
  const high = values.length === 0 ? 0 : Math.max(...values);
  const step = kWidth / Math.max(1, capacity - 1);
  const points = values.map((value, index) => {
    const x = kWidth - (values.length - 1 - index) * step;
    return `${x.toFixed(1)},${(kHeight - 1 - (value / top) * (kHeight - 4)).toFixed(1)}`;
  });
  const text =
    now === undefined
      ? `${title}: no measurement yet`
      : `${title}: now ${format(now)}, between ${format(low)} and ${format(high)} in the last two minutes`;
  return (
    <figure className="flex min-w-0 flex-col gap-1 rounded-lg border border-border-hairline bg-card px-3 py-2">
      <figcaption className="flex items-baseline justify-between gap-2 text-xs text-muted-foreground">
        <span>{title}</span>
        <span className="text-sm font-medium text-foreground tabular-nums">{now === undefined ? "–" : format(now)}</span>
      </figcaption>
      <svg role="img" aria-label={text} viewBox={`0 0 ${kWidth} ${kHeight}`} preserveAspectRatio="none" className="h-14 w-full">
        <line x1="0" x2={kWidth} y1={kHeight - 0.5} y2={kHeight - 0.5} className="stroke-border" vectorEffect="non-scaling-stroke" />
        {points.length > 1 && (
          <>
            <polygon
              points={`${points[0]?.split(",")[0]},${kHeight} ${points.join(" ")} ${kWidth},${kHeight}`}
              className="fill-primary/10 forced-colors:fill-none"
            />
            <polyline
              points={points.join(" ")}
              fill="none"
              strokeWidth="1.5"
              strokeLinejoin="round"
              vectorEffect="non-scaling-stroke"
              className="stroke-primary forced-colors:stroke-[CanvasText]"
            />
          </>
        )}
      </svg>
    </figure>
  );
}
