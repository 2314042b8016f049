import { useMemo } from "react";

import type { CollectedCustomization } from "#sdk/app_policy/collected.js";
import type { PluginComposerScope } from "#sdk/app/composer.js";

import { type ActivePlugin, useRegistrations } from "@/plugins/registry";

export interface OwnedCustomization {
  readonly plugin: ActivePlugin;
  readonly customization: CollectedCustomization;
}

/** What plugins add to composers of this kind, in slot order. */
export function useCustomizations(kind: PluginComposerScope["kind"]): readonly OwnedCustomization[] {
  const all = useRegistrations("composerCustomizations");
  return useMemo(
    () =>
      all
        .filter(({ registration }) => registration.scopes.includes(kind))
        .map(({ plugin, registration }) => ({ plugin, customization: registration })),
    [all, kind],
  );
}
