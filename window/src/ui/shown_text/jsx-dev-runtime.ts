import type { ElementType, ReactElement } from "react";
import * as reactRuntime from "react/jsx-dev-runtime";

import { shownProps } from "./element";

type MakeDev = (type: ElementType, props: Record<string, unknown>, ...rest: unknown[]) => ReactElement;

// As jsx-runtime.ts, for tests and `npm run dev`.
export type { JSX } from "react/jsx-dev-runtime";
export const { Fragment } = reactRuntime;

const make = (reactRuntime as unknown as { jsxDEV: MakeDev }).jsxDEV;

export const jsxDEV: MakeDev = (type, props, ...rest) => make(type, shownProps(type, props), ...rest);
