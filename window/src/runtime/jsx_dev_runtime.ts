import type { ElementType, Key } from "react";
import type * as jsxRuntimeModule from "react/jsx-runtime";

/**
 * React's production build has no `jsxDEV`. A bundle that some other tool built for development works all the same: its calls
 * become those of the production runtime.
 */
export function jsxDevRuntimeOf(
  { Fragment, jsx, jsxs }: typeof jsxRuntimeModule,
  { jsxDEV }: { jsxDEV?: unknown },
): { Fragment: unknown; jsxDEV: unknown } {
  const stand = (type: ElementType, props: unknown, key?: Key, isStaticChildren?: boolean) =>
    (isStaticChildren === true ? jsxs : jsx)(type, props, key);
  return { Fragment, jsxDEV: typeof jsxDEV === "function" ? jsxDEV : stand };
}
