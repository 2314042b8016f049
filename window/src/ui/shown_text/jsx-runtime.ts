import { Fragment, jsx as reactJsx, jsxs as reactJsxs } from "react/jsx-runtime";

import { type Make, shownProps } from "./element";

// What the JSX of all sources of the window is made of ("jsxImportSource"). What agents, plugins, files and machines wrote comes into the
// page as text of elements: characters that disguise it are shown here, in all of them, and no page can forget it.
export type { JSX } from "react/jsx-runtime";
export { Fragment };

export const jsx: Make = (type, props, key) => reactJsx(type, shownProps(type, props), key);
export const jsxs: Make = (type, props, key) => reactJsxs(type, shownProps(type, props), key);
