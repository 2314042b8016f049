import type { CollectedPluginApp } from "#sdk/app_policy/collected.js";

/** Slots that no page of this window has a place for, because the service has no threads. */
const kUnshown = {
  pendingInteractions: "slots.pendingInteraction",
  messageDirectives: "slots.messageDirective",
  messageActions: "slots.messageAction",
  timelineRenderers: "slots.experimental_timelineRenderer",
} as const satisfies Partial<Record<keyof CollectedPluginApp, string>>;

/** Everything that an app entry registered without effect, by name. */
export function unsupportedOf(app: CollectedPluginApp): string[] {
  const lists = Object.keys(kUnshown) as (keyof typeof kUnshown)[];
  return [...app.unsupported, ...lists.filter((list) => app[list].length > 0).map((list) => kUnshown[list])];
}
