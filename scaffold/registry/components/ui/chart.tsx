import { useId } from "react";

import { cn } from "@/lib/utils";

export interface ChartPoint {
  label: string;
  /** Not negative. */
  value: number;
}

interface ChartProps {
  /** What the values are; stands above the chart. */
  title: string;
  data: readonly ChartPoint[];
  /** How a value is written, for example with its unit. Default: as the reader's language writes numbers. */
  format?(value: number): string;
  className?: string;
}

const asNumber = (value: number) => value.toLocaleString();

/** A bar for each value beside its label and number: it reads well at any width, and is a list to those who hear it. */
export function BarChart({ title, data, format = asNumber, className }: ChartProps) {
  const most = Math.max(...data.map(({ value }) => value), 0);
  return (
    <figure className={cn("min-w-0", className)}>
      <ChartTitle title={title} />
      {data.length === 0 ? (
        <NoValues />
      ) : (
        <ul className="flex flex-col gap-2">
          {data.map(({ label, value }) => (
            <li key={label} className="text-sm">
              <span className="flex justify-between gap-4">
                <span className="min-w-0 wrap-anywhere">{label}</span>
                <span className="shrink-0 text-muted-foreground tabular-nums">{format(value)}</span>
              </span>
              <span aria-hidden="true" className="mt-1 block h-2 rounded-full bg-surface-recessed forced-colors:border">
                <span
                  className="block h-full rounded-full bg-primary forced-colors:bg-[CanvasText]"
                  style={{ width: `${most === 0 ? 0 : (100 * value) / most}%` }}
                />
              </span>
            </li>
          ))}
        </ul>
      )}
    </figure>
  );
}

const kWidth = 600;
const kHeight = 160;
/** So that the line's width is inside of the picture. */
const kMargin = 4;

/** A line over values in order, such as days. Each value is in the table below it. */
export function LineChart({ title, data, format = asNumber, className }: ChartProps) {
  const gradient = useId();
  const most = Math.max(...data.map(({ value }) => value), 0);
  const points = data.map(({ value }, at) => {
    const x = data.length === 1 ? kWidth / 2 : (at * kWidth) / (data.length - 1);
    const y = kHeight - kMargin - (most === 0 ? 0 : (value / most) * (kHeight - 2 * kMargin));
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  const [first, last] = [data[0], data.at(-1)];
  if (first === undefined || last === undefined) {
    return (
      <figure className={cn("min-w-0", className)}>
        <ChartTitle title={title} />
        <NoValues />
      </figure>
    );
  }
  return (
    <figure className={cn("min-w-0", className)}>
      <ChartTitle title={title} />
      <div className="flex gap-2 text-xs text-muted-foreground tabular-nums" aria-hidden="true">
        <div className="flex shrink-0 flex-col justify-between text-right">
          <span>{format(most)}</span>
          <span>{format(0)}</span>
        </div>
        <svg
          viewBox={`0 0 ${kWidth} ${kHeight}`}
          preserveAspectRatio="none"
          className="h-40 w-full min-w-0 border-b border-l border-border text-primary"
        >
          <linearGradient id={gradient} x1="0" y1="0" x2="0" y2="1">
            <stop offset="0" stopColor="currentColor" stopOpacity="0.25" />
            <stop offset="1" stopColor="currentColor" stopOpacity="0" />
          </linearGradient>
          <polygon points={`0,${kHeight} ${points.join(" ")} ${kWidth},${kHeight}`} fill={`url(#${gradient})`} />
          <polyline
            points={points.length === 1 ? `0,${points[0]?.split(",")[1]} ${kWidth},${points[0]?.split(",")[1]}` : points.join(" ")}
            fill="none"
            stroke="currentColor"
            strokeWidth="2"
            vectorEffect="non-scaling-stroke"
          />
        </svg>
      </div>
      <div className="mt-1 flex justify-between gap-4 text-xs text-muted-foreground" aria-hidden="true">
        <span>{first.label}</span>
        <span>{last !== first && last.label}</span>
      </div>
      <details className="mt-2 text-sm">
        <summary className="w-fit cursor-pointer rounded-sm py-1 text-muted-foreground outline-hidden focus-visible:ring-2 focus-visible:ring-ring">
          Values
        </summary>
        <table className="mt-1 w-full text-left" aria-label={title}>
          <tbody className="divide-y divide-border-hairline">
            {data.map(({ label, value }) => (
              <tr key={label}>
                <th scope="row" className="py-1 pr-4 font-normal">
                  {label}
                </th>
                <td className="py-1 text-right tabular-nums">{format(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

function ChartTitle({ title }: { title: string }) {
  return <figcaption className="mb-3 text-sm font-medium">{title}</figcaption>;
}

function NoValues() {
  return <p className="text-sm text-muted-foreground">No values yet.</p>;
}
