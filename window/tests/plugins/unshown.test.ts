import { expect, it } from "vitest";

import { unsupportedOf } from "@/plugins/unshown";

import { kEmptyApp } from "./fake_plugins";

it("names slots that no page shows, after what the SDK does not know", () => {
  expect(unsupportedOf(kEmptyApp)).toEqual([]);
  const app = { ...kEmptyApp, unsupported: ["slots.other"], messageActions: [{}, {}], pendingInteractions: [{}], commands: [{}] };
  expect(unsupportedOf(app as never)).toEqual(["slots.other", "slots.pendingInteraction", "slots.messageAction"]);
});
