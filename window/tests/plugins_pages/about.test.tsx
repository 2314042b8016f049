import { act, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { PackageAbout } from "@/pages/plugins/install_model";
import { kSourceChosen } from "@/lib/navigation";
import PluginsPage from "@/pages/plugins/installed";

import { FakeService, Refusal } from "./fake_service";
import { pluginRecord } from "./fixtures";
import { renderPage, resetWindow } from "./render_page";

const hello: PackageAbout = {
  id: "hello",
  package: "svc-plugin-hello",
  version: "1.4.0",
  name: "Hello",
  description: "Says hello.",
  icon: null,
  license: "MIT",
  author: "Ada",
  homepage: "https://example.org/hello",
  entries: { server: true, app: true, host: false },
  engines: { svc: ">=0.43", svcPluginSdk: null },
  capabilities: [
    { kind: "skill", id: "greet", label: "greet", detail: "When somebody arrives." },
    { kind: "theme", id: "plugin:hello:paper", label: "Paper", detail: null },
  ],
  problems: [],
  dependencies: ["zod"],
  files: 7,
  bytes: 2048,
  readme: "# Hello\n\n![The page](shot.png) ![Café](café.png) ![Gone](gone.png) [The code](server.ts) [More](https://example.org)",
  readmeIsCut: false,
  pictures: [
    { path: "shot.png", mediaType: "image/png", dataBase64: "AAAA" },
    { path: "café.png", mediaType: "image/png", dataBase64: "BBBB" },
  ],
};

let service: FakeService;
let about: PackageAbout;

beforeEach(() => {
  about = hello;
  service = new FakeService()
    .on("GET /plugins", () => ({ plugins: [] }))
    .on("GET /plugins/install-jobs", () => ({ jobs: [] }))
    .on("GET /system/config", () => ({ dataDir: "/data" }))
    .on("POST /plugins/install/about", () => ({ about }))
    .install();
});
afterEach(resetWindow);

const addressOf = (source: string) => `/plugins?about=${encodeURIComponent(source)}`;
const show = (source = "hello@demo") => renderPage("/plugins", PluginsPage, addressOf(source), kSourceChosen);
const open = (source: string) => renderPage("/plugins", PluginsPage, addressOf(source));

describe("a source that an address names", () => {
  it("is not fetched before somebody agrees", async () => {
    open("https://evil.example/x.git");
    expect((await screen.findByLabelText("Source")).textContent).toBe("https://evil.example/x.git");
    expect(screen.getByText(/The server fetches the package/)).toBeTruthy();
    expect(service.bodies("POST /plugins/install/about")).toEqual([]);
    await userEvent.click(screen.getByRole("button", { name: "Look at it" }));
    expect(await screen.findByRole("heading", { level: 1, name: "Hello" })).toBeTruthy();
    expect(service.bodies("POST /plugins/install/about")).toEqual([{ source: "https://evil.example/x.git" }]);
  });

  it("is asked for again when the address names another one", async () => {
    const { router } = open("npm:one");
    await userEvent.click(await screen.findByRole("button", { name: "Look at it" }));
    await screen.findByRole("heading", { level: 1, name: "Hello" });
    await act(() => router.navigate(addressOf("npm:two")));
    expect((await screen.findByLabelText("Source")).textContent).toBe("npm:two");
    expect(service.bodies("POST /plugins/install/about")).toEqual([{ source: "npm:one" }]);
  });

  it("is shown as its beginning when nobody would read all of it", async () => {
    open(`https://evil.example/${"x".repeat(5_000)}`);
    expect((await screen.findByLabelText("Source")).textContent).toMatch(/^https:\/\/evil\.example\/x{979}… and 4021 more characters$/);
  });
});

describe("a plugin before it is installed", () => {
  it("says who made it, what it brings and what it needs", async () => {
    show();
    expect(await screen.findByRole("heading", { level: 1, name: "Hello" })).toBeTruthy();
    expect(service.bodies("POST /plugins/install/about")).toEqual([{ source: "hello@demo" }]);
    expect(screen.getByText("Version 1.4.0 · Ada · hello@demo")).toBeTruthy();
    for (const term of ["On the server", "In the window", "Skills", "Themes"]) {
      expect(screen.getByText(term)).toBeTruthy();
    }
    expect(screen.queryByText("On machines")).toBeNull();
    expect(screen.getByText(/When somebody arrives/)).toBeTruthy();
    expect(screen.getByText("svc >=0.43")).toBeTruthy();
    expect(screen.getByText("MIT")).toBeTruthy();
    expect(screen.getByText(/in 7 files/).textContent).toContain("without its dependencies");
  });

  it("shows the readme with the pictures that come with it, and links that lead somewhere", async () => {
    show();
    const picture = await screen.findByRole("img", { name: "The page" });
    expect(picture.getAttribute("src")).toBe("data:image/png;base64,AAAA");
    expect(screen.getByRole("img", { name: "Café" }).getAttribute("src")).toBe("data:image/png;base64,BBBB");
    expect(screen.getByText("Gone")).toBeTruthy();
    expect(screen.queryByRole("img", { name: "Gone" })).toBeNull();
    expect(screen.queryByRole("link", { name: "The code" })).toBeNull();
    expect(screen.getByRole("link", { name: "More" })).toBeTruthy();
    // The page has the first level.
    expect(screen.getByRole("heading", { level: 2, name: "Readme" })).toBeTruthy();
    expect(screen.getAllByRole("heading", { level: 1 })).toHaveLength(1);
  });

  it("asks for trust before it installs", async () => {
    service.on("POST /plugins/install/preview", () => ({
      preview: {
        id: "hello",
        package: "svc-plugin-hello",
        version: "1.4.0",
        source: "hello@demo",
        resolved: "npm:svc-plugin-hello@1.4.0",
        from: "the npm registry",
        pinned: false,
        confirmedSource: "npm:svc-plugin-hello@1.4.0",
        incompatible: null,
        entryId: "hello",
        marketplace: "demo",
      },
    }));
    show();
    await userEvent.click(await screen.findByRole("button", { name: "Install…" }));
    const dialog = await screen.findByRole("dialog", { name: "Install svc-plugin-hello?" });
    expect(within(dialog).getByRole<HTMLButtonElement>("button", { name: "Install" }).disabled).toBe(true);
    expect(within(dialog).queryByRole("link", { name: "What it says of itself" })).toBeNull();
  });

  it("leads to the plugin when it is installed", async () => {
    service.on("GET /plugins", () => ({ plugins: [pluginRecord({ id: "hello", name: "Hello" })] }));
    show();
    expect((await screen.findByRole("link", { name: "Installed: show Hello" })).getAttribute("href")).toBe("/plugins/hello");
    expect(screen.queryByRole("button", { name: "Install…" })).toBeNull();
  });

  it("says what of it does not work, and that it says nothing of itself", async () => {
    about = {
      ...hello,
      readme: null,
      dependencies: [],
      license: null,
      problems: [{ code: "invalid_theme", message: "theme “paper” is skipped" }],
    };
    show();
    expect(await screen.findByText("theme “paper” is skipped")).toBeTruthy();
    expect(screen.getByText("It has no readme")).toBeTruthy();
    expect(screen.getByText("none is named")).toBeTruthy();
  });

  it("says why nothing is known, and tries again", async () => {
    service.on("POST /plugins/install/about", () => {
      throw new Refusal(422, "install_refused", "the registry does not have svc-plugin-nope");
    });
    show("npm:svc-plugin-nope");
    expect(await screen.findByText("the registry does not have svc-plugin-nope")).toBeTruthy();
    service.on("POST /plugins/install/about", () => ({ about }));
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByRole("heading", { level: 1, name: "Hello" })).toBeTruthy();
  });
});
