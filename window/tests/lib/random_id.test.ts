import { expect, it, vi } from "vitest";

import { randomId } from "@/lib/random_id";

it("makes ids where the browser has no randomUUID, as over http", () => {
  vi.stubGlobal("crypto", { getRandomValues: (bytes: Uint8Array) => bytes.fill(10) });
  expect(randomId()).toBe("0a".repeat(16));
  vi.unstubAllGlobals();
  expect(randomId()).not.toBe(randomId());
});
