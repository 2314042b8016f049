/**
 * Import specifiers the app window supplies, and the property of `globalThis.__svcPluginRuntime` each one is found under.
 * Builds of app entries leave exactly these specifiers out of the bundle; a subpath that is not listed is bundled.
 */
export const RUNTIME_SLOT_BY_SPECIFIER = Object.freeze({
  react: "react",
  "react-dom": "reactDom",
  "react-dom/client": "reactDomClient",
  "react/jsx-runtime": "jsxRuntime",
  "react/jsx-dev-runtime": "jsxDevRuntime",
  "@get-svc/plugin-sdk/app": "pluginSdkApp",
  "@get-svc/plugin-sdk/icon": "sharedUiIcon",
  "@radix-ui/react-alert-dialog": "radixAlertDialog",
  "@radix-ui/react-context-menu": "radixContextMenu",
  "@radix-ui/react-dialog": "radixDialog",
  "@radix-ui/react-dropdown-menu": "radixDropdownMenu",
  "@radix-ui/react-hover-card": "radixHoverCard",
  "@radix-ui/react-menubar": "radixMenubar",
  "@radix-ui/react-navigation-menu": "radixNavigationMenu",
  "@radix-ui/react-popover": "radixPopover",
  "@radix-ui/react-select": "radixSelect",
  "@radix-ui/react-tooltip": "radixTooltip",
  sonner: "sonner",
  vaul: "vaul",
  clsx: "clsx",
  "tailwind-merge": "tailwindMerge",
  "class-variance-authority": "classVarianceAuthority",
  "@pierre/diffs": "pierreDiffs",
  "@pierre/diffs/react": "pierreDiffsReact",
} as const);

/** An import specifier that the app window supplies. */
export type RuntimeSlotSpecifier = keyof typeof RUNTIME_SLOT_BY_SPECIFIER;
/** A property of `globalThis.__svcPluginRuntime`. */
export type RuntimeSlot = (typeof RUNTIME_SLOT_BY_SPECIFIER)[RuntimeSlotSpecifier];

/**
 * The packages behind the slots, each at the exact version that the app window holds. They belong in a plugin's
 * `devDependencies`: a copy in `dependencies` would be bundled a second time and break portals, toasts and focus.
 * The SDK itself is not listed; its version is that of this package.
 */
export const RUNTIME_PACKAGE_VERSIONS = Object.freeze({
  react: "19.3.1",
  "react-dom": "19.3.1",
  "@radix-ui/react-alert-dialog": "1.2.1",
  "@radix-ui/react-context-menu": "2.4.1",
  "@radix-ui/react-dialog": "1.3.1",
  "@radix-ui/react-dropdown-menu": "2.2.1",
  "@radix-ui/react-hover-card": "1.2.1",
  "@radix-ui/react-menubar": "1.2.1",
  "@radix-ui/react-navigation-menu": "1.4.1",
  "@radix-ui/react-popover": "1.3.1",
  "@radix-ui/react-select": "2.4.1",
  "@radix-ui/react-tooltip": "1.4.1",
  sonner: "2.0.8",
  vaul: "1.1.2",
  clsx: "2.1.1",
  "tailwind-merge": "3.7.0",
  "class-variance-authority": "0.7.1",
  "@pierre/diffs": "1.6.4",
} as const);
