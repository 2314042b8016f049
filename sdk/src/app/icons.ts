import type { ComponentType } from "./react.js";

/**
 * Name of an icon: a lucide name (`ListTodo` or `list-todo`), a name registered through `experimental_icons`, or
 * `<pluginId>/<declared icon>`. An unknown name shows the generic plugin icon.
 */
export type PluginIconName = string;

/** An icon for the whole window, as `experimental_icons.register` takes it. */
export interface PluginIconRegistration {
  /** What `PluginIconName` then names; a built-in icon of this name is shadowed. The first plugin in slot order has it. */
  name: string;
  component: ComponentType<{ className?: string }>;
}

/**
 * The icon of an agent, machine or environment provider, as `slots.experimental_providerIcon` takes it. The first plugin in slot order has
 * it; a later claim warns.
 */
export interface ProviderIconRegistration {
  providerId: string;
  icon: ComponentType<{ className?: string }>;
  /** Default `agent`. */
  providerKind?: "agent" | "machine" | "environment";
}
