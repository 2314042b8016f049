import type { ComponentType } from "./react.js";

/**
 * Name of an icon: a lucide name (`ListTodo` or `list-todo`), a name registered through `experimental_icons`, or
 * `<pluginId>/<declared icon>`. An unknown name shows the generic plugin icon.
 */
export type PluginIconName = string;

export interface PluginIconRegistration {
  name: string;
  component: ComponentType<{ className?: string }>;
}

export interface ProviderIconRegistration {
  providerId: string;
  icon: ComponentType<{ className?: string }>;
  /** Default `agent`. */
  providerKind?: "agent" | "machine" | "environment";
}
