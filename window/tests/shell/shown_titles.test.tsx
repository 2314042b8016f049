import { cleanup, render } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";

import { writePreference } from "@/lib/preferences";
import { usePageTitle } from "@/shell/page_title";
import { kSystemNotifications, showSystemNotification } from "@/shell/system_notifications";

afterEach(() => {
  cleanup();
  writePreference(kSystemNotifications, false);
});

function Page() {
  usePageTitle("Fix \u202eit");
  return null;
}

describe("texts that are shown outside of the page", () => {
  it("name hidden characters in the title of the page", () => {
    render(<Page />);
    expect(document.title).toContain("Fix \\u{202E}it");
  });

  it("name hidden characters in notifications of the system", () => {
    const shown = vi.fn();
    class Shown {
      static permission = "granted";
      constructor(text: string) {
        shown(text);
      }
    }
    vi.stubGlobal("Notification", Shown);
    vi.stubGlobal("isSecureContext", true);
    vi.spyOn(document, "hidden", "get").mockReturnValue(true);
    writePreference(kSystemNotifications, true);
    showSystemNotification("May I \u202erun?", "t", () => undefined);
    expect(shown).toHaveBeenCalledWith("May I \\u{202E}run?");
  });
});
