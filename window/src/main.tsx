import "./styles/index.css";

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { onCaughtError } from "@/plugins/slot_mount";

import { App } from "./app";
import { boot } from "./boot";

createRoot(document.getElementById("root")!, { onCaughtError }).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
boot();
