import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { InstallJob, InstallPreview } from "@/pages/plugins/install_model";
import PluginsPage from "@/pages/plugins/installed";
import { notificationsNow } from "@/lib/notifications";

import { FakeService, Refusal } from "./fake_service";
import { pluginRecord } from "./fixtures";
import { renderPage, resetWindow } from "./render_page";

const preview: InstallPreview = {
  id: "hello",
  package: "svc-plugin-hello",
  version: "1.2.3",
  source: "path:/p/hello",
  resolved: "/p/hello",
  from: "/p/hello",
  pinned: true,
  confirmedSource: "/p/hello",
  incompatible: null,
};
const queued: InstallJob = {
  id: "job_1",
  source: "path:/p/hello",
  state: "queued",
  step: "",
  error: null,
  pluginId: null,
  createdAt: 1,
  finishedAt: null,
};

let service: FakeService;
let job: InstallJob;

beforeEach(() => {
  job = queued;
  service = new FakeService()
    .on("GET /plugins", () => ({ plugins: [pluginRecord()] }))
    .on("GET /plugins/install-jobs", () => ({ jobs: [job] }))
    .on("GET /plugins/safe-mode", () => ({ enabled: false }))
    .on("GET /system/config", () => ({ dataDir: "/data" }))
    .on("POST /plugins/install/preview", () => ({ preview }))
    .on("POST /plugins/install", () => ({ job: queued }))
    .install();
});
afterEach(resetWindow);

async function open() {
  const page = renderPage("/plugins", PluginsPage, "/plugins?install");
  const source = await screen.findByLabelText("Source");
  return { ...page, source };
}

async function trust(source: HTMLElement): Promise<void> {
  await userEvent.type(source, "/p/hello{Enter}");
  const choice = await screen.findByRole("checkbox");
  expect((screen.getByRole("button", { name: "Install" }) as HTMLButtonElement).disabled).toBe(true);
  expect(service.bodies("POST /plugins/install")).toEqual([]);
  await userEvent.click(choice);
  await userEvent.click(screen.getByRole("button", { name: "Install" }));
}

describe("the install dialog", () => {
  it("starts in its source field and asks for one", async () => {
    const { source } = await open();
    expect(document.activeElement).toBe(source);
    await userEvent.keyboard("{Enter}");
    expect(await screen.findByText(/Enter a directory/)).toBeTruthy();
    expect(service.bodies("POST /plugins/install/preview")).toEqual([]);
  });

  it("names package, version and directory, and installs only after the choice", async () => {
    const { source } = await open();
    await trust(source);
    expect(service.bodies("POST /plugins/install")).toEqual([{ source: "/p/hello", confirmedSource: "/p/hello" }]);
    expect(service.requests.find(({ path }) => path === "/plugins/install")?.headers.get("prefer")).toBe("respond-async");
  });

  it("shows the trust facts", async () => {
    const { source } = await open();
    await userEvent.type(source, "/p/hello{Enter}");
    for (const fact of ["svc-plugin-hello", "1.2.3", "/p/hello"]) {
      expect((await screen.findAllByText(fact)).length).toBeGreaterThan(0);
    }
    expect(screen.getByText("Plugins run with full access to this machine")).toBeTruthy();
  });

  it("keeps the source when the server refuses it, and says why", async () => {
    service.on("POST /plugins/install/preview", () => {
      throw new Refusal(422, "install_refused", "/p/hello has no package.json", { details: { reason: "no_manifest" } });
    });
    const { source } = await open();
    await userEvent.type(source, "/p/hello{Enter}");
    expect(await screen.findByText("/p/hello has no package.json")).toBeTruthy();
    expect((source as HTMLInputElement).value).toBe("/p/hello");
  });

  it("sends which plugin of a repository is meant", async () => {
    const { source } = await open();
    await userEvent.type(source, "https://example.org/all.git");
    await userEvent.click(screen.getByText("Several plugins in one repository"));
    await userEvent.type(screen.getByLabelText("Tag prefix"), "a-");
    await userEvent.click(screen.getByRole("button", { name: "Continue" }));
    await waitFor(() =>
      expect(service.bodies("POST /plugins/install/preview")).toEqual([{ source: "https://example.org/all.git", tagPrefix: "a-" }]),
    );
  });

  describe("of a repository with several plugins", () => {
    const entries = [
      { name: "one", source: "./plugins/one" },
      { name: "two", source: "./plugins/two" },
    ];
    const seen = { ...preview, source: "git:https://example.org/all.git", resolved: "git:x@1", from: "x" };
    beforeEach(() => {
      service.on("POST /plugins/install/preview", ({ body }) => ({
        preview:
          (body as { selection?: unknown }).selection === undefined ? { ...seen, id: null, package: null, version: null, entries } : seen,
      }));
    });

    const lookUp = async (source: HTMLElement) => {
      await userEvent.type(source, "https://example.org/all.git");
      await userEvent.click(screen.getByRole("button", { name: "Continue" }));
    };

    it("lets choose, looks that one up and installs it", async () => {
      const { source } = await open();
      await lookUp(source);
      expect(await screen.findByRole("heading", { name: "Which plugin?" })).toBeTruthy();
      await userEvent.click(screen.getByRole("radio", { name: /two/ }));
      await userEvent.click(screen.getByRole("button", { name: "Continue" }));
      await userEvent.click(await screen.findByRole("checkbox"));
      await userEvent.click(screen.getByRole("button", { name: "Install" }));
      const request = { source: "https://example.org/all.git", selection: { kind: "entry", name: "two" } };
      expect(service.bodies("POST /plugins/install/preview")[1]).toEqual(request);
      await waitFor(() => expect(service.bodies("POST /plugins/install")).toEqual([{ ...request, confirmedSource: "/p/hello" }]));
    });

    it("offers the others beside the one at the root", async () => {
      service.on("POST /plugins/install/preview", () => ({ preview: { ...seen, entries } }));
      const { source } = await open();
      await lookUp(source);
      await userEvent.click(await screen.findByRole("button", { name: "Choose another" }));
      expect(screen.getAllByRole("radio")).toHaveLength(2);
      await userEvent.click(screen.getByRole("button", { name: "Back" }));
      expect(((await screen.findByLabelText("Source")) as HTMLInputElement).value).toBe("https://example.org/all.git");
    });

    it("stays there, and says why, when the chosen one is refused", async () => {
      const { source } = await open();
      await lookUp(source);
      await screen.findByRole("heading", { name: "Which plugin?" });
      service.on("POST /plugins/install/preview", () => {
        throw new Refusal(422, "install_refused", "plugins/one/package.json is missing", { details: { reason: "no_manifest" } });
      });
      await userEvent.click(screen.getByRole("button", { name: "Continue" }));
      expect(await screen.findByText("plugins/one/package.json is missing")).toBeTruthy();
      expect(screen.getAllByRole("radio")).toHaveLength(2);
    });
  });

  it("shows progress, and opens the plugin when it is installed", async () => {
    const { source, router } = await open();
    await trust(source);
    const dialog = within(screen.getByRole("dialog"));
    expect(await dialog.findByText("Waiting for another install to end…")).toBeTruthy();
    job = { ...queued, state: "running", step: "building bundles" };
    expect(await dialog.findByText("Building its bundles…")).toBeTruthy();
    service.on("GET /plugins", () => ({ plugins: [pluginRecord({ id: "hello", name: "Hello" })] }));
    job = { ...job, state: "succeeded", pluginId: "hello", finishedAt: 2 };
    await waitFor(() => expect(router.state.location.pathname).toBe("/plugins/hello"));
    await waitFor(() => expect(notificationsNow().map(({ title }) => title)).toEqual(["Installed Hello"]));
  });

  it("does not call a plugin that failed to load a success", async () => {
    const { source } = await open();
    await trust(source);
    service.on("GET /plugins", () => ({ plugins: [pluginRecord({ id: "hello", name: "Hello", status: "error", statusDetail: "boom" })] }));
    job = { ...queued, state: "succeeded", pluginId: "hello", finishedAt: 2 };
    await waitFor(() => expect(notificationsNow()[0]).toMatchObject({ kind: "warning", description: "boom" }));
  });

  it("shows the server's message when the install fails", async () => {
    const { source } = await open();
    await trust(source);
    job = { ...queued, state: "failed", error: { code: "install_refused", message: "app.tsx:3:1: Unexpected token" }, finishedAt: 2 };
    const dialog = within(screen.getByRole("dialog"));
    expect(await dialog.findByText("app.tsx:3:1: Unexpected token")).toBeTruthy();
    expect(screen.getByRole("heading", { name: "The install failed" })).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Back" }));
    expect(((await screen.findByLabelText("Source")) as HTMLInputElement).value).toBe("/p/hello");
  });

  it("tells the end of an install whose dialog was closed", async () => {
    const { source } = await open();
    await trust(source);
    await screen.findByRole("button", { name: "Cancel install" });
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    job = { ...queued, state: "failed", error: { code: "install_refused", message: "no network" }, finishedAt: 2 };
    await waitFor(() => expect(notificationsNow()[0]).toMatchObject({ kind: "error", description: "no network" }));
  });

  it("offers an update when the source is that of an installed plugin", async () => {
    service.on("POST /plugins/hello/update", () => ({ applied: true, from: "1.0.0", to: "1.2.3", outcome: "updated" }));
    const { source, router } = await open();
    await trust(source);
    const details = { reason: "use_update", pluginId: "hello" };
    job = { ...queued, state: "failed", error: { code: "install_refused", message: "POST /plugins/hello/update", details }, finishedAt: 2 };
    expect(await screen.findByRole("heading", { name: "hello is installed already" })).toBeTruthy();
    expect(screen.queryByText(/POST \/plugins/)).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Update hello with it" }));
    await waitFor(() => expect(service.bodies("POST /plugins/hello/update")).toEqual([{ source: "/p/hello" }]));
    await waitFor(() => expect(router.state.location.pathname).toBe("/plugins/hello"));
    expect(notificationsNow()[0]).toMatchObject({ kind: "success", title: "hello was updated to 1.2.3" });
    expect(screen.queryByText(/Install failed/)).toBeNull();
  });

  it("cancels", async () => {
    service.on("POST /plugins/install-jobs/job_1/cancel", () => {
      job = { ...queued, state: "cancelled", error: { code: "aborted", message: "the install was cancelled" }, finishedAt: 2 };
      return { job };
    });
    const { source } = await open();
    await trust(source);
    await userEvent.click(await screen.findByRole("button", { name: "Cancel install" }));
    expect(await screen.findByText("Nothing was installed.")).toBeTruthy();
  });

  it("does not offer what the service would refuse", async () => {
    service.on("POST /plugins/install/preview", () => ({
      preview: { ...preview, resolved: "npm:hello@2.0.0", from: "the npm registry", incompatible: "it asks for svc >=9" },
    }));
    const { source } = await open();
    await userEvent.type(source, "npm:hello{Enter}");
    expect(await screen.findByText(/it asks for svc >=9/)).toBeTruthy();
    expect((screen.getByRole("button", { name: "Install" }) as HTMLButtonElement).disabled).toBe(true);
  });
});
