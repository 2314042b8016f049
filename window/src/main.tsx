import "./styles/index.css";

import { StrictMode } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";

import { onCaughtError } from "./plugins/slot_mount";

import { App } from "./app";
import { boot } from "./boot";

/** Hidden windows are not painted: there nothing is waited for. */
function afterPaint(callback: () => void): void {
  if (document.visibilityState === "hidden") {
    callback();
  } else {
    requestAnimationFrame(() => setTimeout(callback, 0));
  }
}

const root = createRoot(document.getElementById("root")!, { onCaughtError });
flushSync(() =>
  root.render(
    <StrictMode>
      <App />
    </StrictMode>,
  ),
);
afterPaint(boot);
