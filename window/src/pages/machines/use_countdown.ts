import { useEffect, useState } from "react";

/** Milliseconds until `endsAt` (of `performance.now()`), told anew every second; never below 0. */
export function useCountdown(endsAt: number): number {
  const [now, setNow] = useState(() => performance.now());
  const isOver = endsAt <= now;
  useEffect(() => {
    if (isOver) {
      return;
    }
    setNow(performance.now());
    const timer = setInterval(() => setNow(performance.now()), 1000);
    return () => clearInterval(timer);
  }, [endsAt, isOver]);
  return Math.max(0, endsAt - now);
}
