import * as radixAlertDialog from "@radix-ui/react-alert-dialog";
import * as radixContextMenu from "@radix-ui/react-context-menu";
import * as radixDialog from "@radix-ui/react-dialog";
import * as radixDropdownMenu from "@radix-ui/react-dropdown-menu";
import * as radixHoverCard from "@radix-ui/react-hover-card";
import * as radixMenubar from "@radix-ui/react-menubar";
import * as radixNavigationMenu from "@radix-ui/react-navigation-menu";
import * as radixPopover from "@radix-ui/react-popover";
import * as radixSelect from "@radix-ui/react-select";
import * as radixTooltip from "@radix-ui/react-tooltip";
import * as classVarianceAuthority from "class-variance-authority";
import * as clsx from "clsx";
import * as reactDom from "react-dom";
import * as reactDomClient from "react-dom/client";
import * as jsxDevRuntime from "react/jsx-dev-runtime";
import * as jsxRuntime from "react/jsx-runtime";
import * as tailwindMerge from "tailwind-merge";
import * as vaul from "vaul";

import type { RuntimeSlot } from "#sdk/runtime_slots.js";

import * as sharedUiIcon from "@/sdk_app/icon";
import { pluginSdkApp } from "@/sdk_app/index";
import { jsxDevRuntimeOf } from "./jsx_dev_runtime";
import type { LazySlot } from "./lazy_slots";
import { reactShim } from "./react_shim";
import { sonnerShim } from "./sonner_shim";

/**
 * The window's own module instances. Whole namespaces: a bundle may use any name, so nothing here may be shaken out of the
 * build.
 */
export const kEagerSlots: Readonly<Record<Exclude<RuntimeSlot, LazySlot>, object>> = {
  react: reactShim,
  reactDom,
  reactDomClient,
  jsxRuntime,
  jsxDevRuntime: jsxDevRuntimeOf(jsxRuntime, jsxDevRuntime),
  pluginSdkApp,
  sharedUiIcon: { Icon: sharedUiIcon.Icon, default: sharedUiIcon.Icon },
  radixAlertDialog,
  radixContextMenu,
  radixDialog,
  radixDropdownMenu,
  radixHoverCard,
  radixMenubar,
  radixNavigationMenu,
  radixPopover,
  radixSelect,
  radixTooltip,
  sonner: sonnerShim,
  vaul,
  clsx,
  tailwindMerge,
  classVarianceAuthority,
};
