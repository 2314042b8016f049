import { type KeyboardEvent, type PointerEvent, useRef } from "react";

import { cn } from "@/ui/cn";

export interface ResizerProps {
  label: string;
  /** Pixels. */
  value: number;
  min: number;
  max: number;
  initial: number;
  /** At which side of what is resized the handle sits. */
  edge: "left" | "right";
  onChange(value: number): void;
}

const kStep = 16;

/** The edge of a side area: drag it, or focus it and use the arrow keys; a double click gives back the usual width. */
export function Resizer({ label, value, min, max, initial, edge, onChange }: ResizerProps) {
  const drag = useRef<{ x: number; value: number } | null>(null);
  const sign = edge === "right" ? 1 : -1;

  const onKeyDown = (event: KeyboardEvent) => {
    const next = { ArrowLeft: value - sign * kStep, ArrowRight: value + sign * kStep, Home: min, End: max }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      onChange(next);
    }
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button === 0) {
      event.currentTarget.setPointerCapture(event.pointerId);
      drag.current = { x: event.clientX, value };
    }
  };
  const onPointerMove = (event: PointerEvent) => {
    if (drag.current !== null) {
      onChange(drag.current.value + sign * (event.clientX - drag.current.x));
    }
  };
  return (
    <div
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation="vertical"
      aria-valuemin={min}
      aria-valuemax={max}
      aria-valuenow={value}
      aria-valuetext={`${value} pixels`}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => (drag.current = null)}
      onPointerCancel={() => (drag.current = null)}
      onDoubleClick={() => onChange(initial)}
      className={cn(
        "absolute inset-y-0 z-10 w-2 cursor-col-resize touch-none after:absolute after:inset-y-0 after:w-0.5 after:transition-colors hover:after:bg-border focus-visible:outline-none focus-visible:after:bg-ring active:after:bg-ring",
        edge === "right" ? "-right-1 after:left-1/2" : "-left-1 after:left-1/2",
      )}
    />
  );
}
