import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { notificationsNow } from "@/lib/notifications";
import type { Project, ProjectSource } from "@/api/projects";
import ProjectsPage from "@/pages/projects";

import { hostRecord, ownMachine } from "../machines/fixtures";
import { FakeService, Refusal } from "../plugins_pages/fake_service";
import { renderPage, resetWindow } from "../plugins_pages/render_page";

const source = (more: Partial<ProjectSource> = {}): ProjectSource => ({
  id: "src_1",
  projectId: "proj_1",
  type: "local_path",
  hostId: "host_0",
  path: "/srv/shop",
  isDefault: true,
  createdAt: 1,
  updatedAt: 1,
  ...more,
});
const record = (more: Partial<Project> = {}): Project => ({
  id: "proj_1",
  kind: "standard",
  name: "shop",
  gitRemoteUrl: null,
  sources: [source()],
  createdAt: 1,
  updatedAt: 1,
  ...more,
});
const blog = record({ id: "proj_2", name: "blog", sources: [source({ id: "src_2", projectId: "proj_2", path: "/srv/blog" })] });

let service: FakeService;
let projects: Project[];

beforeEach(() => {
  projects = [record(), blog];
  service = new FakeService()
    .on("GET /projects", () => ({ projects }))
    .on("GET /hosts", () => ({ hosts: [ownMachine, hostRecord({ status: "disconnected" })] }))
    .install();
});
afterEach(resetWindow);

const showList = () => renderPage("/settings/projects", ProjectsPage, "/settings/projects");
const showOne = (id: string) => renderPage("/settings/projects/:projectId", ProjectsPage, `/settings/projects/${id}`);
const openMenu = async (name: string) => userEvent.click(await screen.findByRole("button", { name: `Actions for ${name}` }));
const choose = async (item: string) => userEvent.click(await screen.findByRole("menuitem", { name: item }));

describe("the list", () => {
  it("shows each project with its folder and machine, in order", async () => {
    showList();
    const list = await screen.findByRole("list", { name: "Projects" });
    expect(await within(list).findByText(/\/srv\/shop · home/)).toBeTruthy();
    expect(
      within(list)
        .getAllByRole("link")
        .map((link) => link.textContent),
    ).toEqual(["shop", "blog"]);
    expect(within(list).getByRole("link", { name: "shop" }).getAttribute("href")).toBe("/settings/projects/proj_1");
  });

  it("says what a project is made of when there is none", async () => {
    projects = [];
    showList();
    expect(await screen.findByText("No project yet")).toBeTruthy();
  });

  it("names a machine that was removed", async () => {
    projects = [record({ sources: [source({ hostId: "host_9" })] })];
    showList();
    expect(await screen.findByText(/a machine that was removed \(host_9\)/)).toBeTruthy();
  });

  it("says why it could not be read, and tries again", async () => {
    service.on("GET /projects", () => {
      throw new Refusal(500, "internal_error", "the store is closed");
    });
    showList();
    expect((await screen.findByRole("alert")).textContent).toContain("the store is closed");
    service.on("GET /projects", () => ({ projects }));
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByRole("link", { name: "shop" })).toBeTruthy();
  });

  it("moves a project between its new neighbours", async () => {
    service.on("POST /projects/reorder", () => ({ projects }));
    showList();
    await openMenu("blog");
    expect(screen.queryByRole("menuitem", { name: "Move down" })).toBeNull();
    await choose("Move up");
    await openMenu("shop");
    await choose("Move down");
    expect(service.bodies("POST /projects/reorder")).toEqual([
      { projectId: "proj_2", previousProjectId: null, nextProjectId: "proj_1" },
      { projectId: "proj_1", previousProjectId: "proj_2", nextProjectId: null },
    ]);
  });

  it("tells when a move was refused", async () => {
    service.on("POST /projects/reorder", () => {
      throw new Refusal(409, "conflict", "they are no neighbours any more");
    });
    showList();
    await openMenu("blog");
    await choose("Move up");
    await expect.poll(() => notificationsNow()[0]?.description).toBe("they are no neighbours any more");
  });

  it("renames in place", async () => {
    service.on("PATCH /projects/proj_1", ({ body }) => {
      projects = [record(body as { name: string }), blog];
      return { project: projects[0] };
    });
    showList();
    await openMenu("shop");
    await choose("Rename…");
    const field = await screen.findByRole("textbox", { name: "New name of shop" });
    await userEvent.clear(field);
    await userEvent.type(field, " store {Enter}");
    expect(await screen.findByRole("link", { name: "store" })).toBeTruthy();
    expect(document.activeElement?.getAttribute("aria-label")).toBe("Actions for store");
  });

  it("deletes after a question that says what goes and what stays", async () => {
    service.on("DELETE /projects/proj_1", () => {
      projects = [blog];
      return {};
    });
    showList();
    await openMenu("shop");
    await choose("Delete…");
    const question = await screen.findByRole("alertdialog", { name: "Delete shop?" });
    expect(question.textContent).toMatch(/files attached in it are deleted.*Its folder stays as it is/);
    await userEvent.click(within(question).getByRole("button", { name: "Delete" }));
    await expect.poll(() => screen.queryByRole("link", { name: "shop" })).toBeNull();
  });

  it("keeps the question open with what was wrong", async () => {
    service.on("DELETE /projects/proj_1", () => {
      throw new Refusal(503, "unavailable", "disk full");
    });
    showList();
    await openMenu("shop");
    await choose("Delete…");
    const question = await screen.findByRole("alertdialog");
    await userEvent.click(within(question).getByRole("button", { name: "Delete" }));
    expect((await within(question).findByRole("alert")).textContent).toContain("disk full");
  });
});

describe("a new project", () => {
  const open = async () => {
    showList();
    await userEvent.click(await screen.findByRole("button", { name: "New project" }));
    return screen.findByRole("dialog", { name: "New project" });
  };

  it("is looked for on its machine while its folder is typed", async () => {
    service.on("GET /hosts/host_0/directory", () => ({ directory: "/home/ada/shop", parent: "/home/ada", entries: [] }));
    const dialog = await open();
    await userEvent.type(within(dialog).getByLabelText("Folder"), "~/shop");
    expect(await within(dialog).findByText("Found: /home/ada/shop")).toBeTruthy();
    service.on("GET /hosts/host_0/directory", () => {
      throw new Refusal(502, "host_error", "/home/ada/shopp does not exist");
    });
    await userEvent.type(within(dialog).getByLabelText("Folder"), "p");
    expect((await within(dialog).findByRole("alert")).textContent).toBe("/home/ada/shopp does not exist");
  });

  it("takes the folder that is chosen on its machine", async () => {
    service.on("GET /hosts/host_0/directory", ({ query }) => {
      const directory = query.get("path") ?? "/home/ada";
      return { directory, parent: "/", entries: [{ name: "shop", path: `${directory}/shop`, kind: "directory" }] };
    });
    const dialog = await open();
    await userEvent.click(within(dialog).getByRole("button", { name: "Choose folder…" }));
    const picker = await screen.findByRole("dialog", { name: "Choose folder" });
    await userEvent.click(await within(picker).findByRole("option", { name: "shop" }));
    await userEvent.click(within(picker).getByRole("button", { name: "Use this folder" }));
    await expect.poll(() => screen.queryByRole("dialog", { name: "Choose folder" })).toBeNull();
    expect(within(dialog).getByLabelText("Folder")).toHaveProperty("value", "/home/ada/shop");
  });

  it("is made of the machine, the folder and the name, and shown", async () => {
    service
      .on("GET /hosts/host_1/directory", () => ({ directory: "/x" }))
      .on("POST /projects", () => ({ project: record({ id: "proj_3" }) }));
    const dialog = await open();
    await userEvent.type(within(dialog).getByLabelText("Name"), "Shop");
    await userEvent.selectOptions(within(dialog).getByLabelText("Machine"), "laptop (not connected)");
    await userEvent.type(within(dialog).getByLabelText("Folder"), " /x ");
    await userEvent.click(within(dialog).getByRole("button", { name: "Create project" }));
    expect(await screen.findByText("elsewhere")).toBeTruthy();
    expect(service.bodies("POST /projects")).toEqual([{ name: "Shop", source: { type: "local_path", hostId: "host_1", path: "/x" } }]);
  });

  it("is called like its folder unless it has a name", async () => {
    service.on("GET /hosts/host_0/directory", () => ({ directory: "/srv/new" })).on("POST /projects", () => ({ project: record() }));
    const dialog = await open();
    await userEvent.type(within(dialog).getByLabelText("Folder"), "/srv/new/");
    await userEvent.click(within(dialog).getByRole("button", { name: "Create project" }));
    expect(await screen.findByText("elsewhere")).toBeTruthy();
    expect(service.bodies("POST /projects")).toEqual([
      { name: "new", source: { type: "local_path", hostId: "host_0", path: "/srv/new/" } },
    ]);
  });

  it("keeps what was typed when it is refused", async () => {
    service
      .on("GET /hosts/host_0/directory", () => ({ directory: "/srv/shop" }))
      .on("POST /projects", () => {
        throw new Refusal(409, "conflict", "/srv/shop is already a source of shop");
      });
    const dialog = await open();
    await userEvent.click(within(dialog).getByRole("button", { name: "Create project" }));
    expect((await within(dialog).findByRole("alert")).textContent).toBe("Enter the path of a folder.");
    await userEvent.type(within(dialog).getByLabelText("Folder"), "/srv/shop");
    await userEvent.click(within(dialog).getByRole("button", { name: "Create project" }));
    expect((await within(dialog).findByText(/already a source/)).getAttribute("role")).toBe("alert");
    expect(within(dialog).getByLabelText<HTMLInputElement>("Folder").value).toBe("/srv/shop");
  });
});

describe("one project", () => {
  const second = source({ id: "src_9", path: "/work/shop", hostId: "host_1", isDefault: false });

  it("shows its folders and its remote", async () => {
    projects = [record({ gitRemoteUrl: "git@example.org:shop.git", sources: [source(), second] })];
    showOne("proj_1");
    expect(await screen.findByRole("heading", { level: 1, name: "shop" })).toBeTruthy();
    const rows = within(screen.getByRole("list", { name: "Folders" })).getAllByRole("listitem");
    expect(rows.map((row) => row.textContent)).toEqual([
      expect.stringMatching(/\/srv\/shopDefault/),
      expect.stringMatching(/\/work\/shop/),
    ]);
    expect(screen.getByText("git@example.org:shop.git")).toBeTruthy();
  });

  it("makes another folder the default, changes and removes it", async () => {
    projects = [record({ sources: [source(), second] })];
    service
      .on("PATCH /projects/proj_1/sources/src_9", () => ({ source: second }))
      .on("GET /hosts/host_1/directory", () => ({ directory: "/work/store" }))
      .on("DELETE /projects/proj_1/sources/src_9", () => ({}));
    showOne("proj_1");
    await openMenu("/work/shop");
    await choose("Make default");
    await openMenu("/work/shop");
    await choose("Change folder…");
    const dialog = await screen.findByRole("dialog", { name: "Change the folder" });
    expect(within(dialog).queryByLabelText("Machine")).toBeNull();
    const folder = within(dialog).getByLabelText("Folder");
    await userEvent.clear(folder);
    await userEvent.type(folder, "/work/store{Enter}");
    await expect.poll(() => screen.queryByRole("dialog")).toBeNull();
    expect(service.bodies("PATCH /projects/proj_1/sources/src_9")).toEqual([
      { type: "local_path", isDefault: true },
      { type: "local_path", path: "/work/store" },
    ]);
    await openMenu("/work/shop");
    await choose("Remove…");
    await userEvent.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Remove" }));
    await expect.poll(() => service.bodies("DELETE /projects/proj_1/sources/src_9").length).toBe(1);
  });

  it("does not offer to remove its only folder", async () => {
    showOne("proj_1");
    await openMenu("/srv/shop");
    expect(await screen.findByRole("menuitem", { name: "Change folder…" })).toBeTruthy();
    expect(screen.queryByRole("menuitem", { name: "Remove…" })).toBeNull();
  });

  it("adds a folder", async () => {
    service
      .on("GET /hosts/host_0/directory", () => ({ directory: "/srv/more" }))
      .on("POST /projects/proj_1/sources", () => ({ source: second }));
    showOne("proj_1");
    await userEvent.click(await screen.findByRole("button", { name: "Add folder" }));
    await userEvent.type(within(await screen.findByRole("dialog")).getByLabelText("Folder"), "/srv/more{Enter}");
    await expect
      .poll(() => service.bodies("POST /projects/proj_1/sources"))
      .toEqual([{ type: "local_path", hostId: "host_0", path: "/srv/more" }]);
  });

  it("says so when it is not known", async () => {
    showOne("proj_9");
    expect(await screen.findByRole("heading", { level: 1, name: "This project is not known" })).toBeTruthy();
  });

  it("has nothing to set for the personal one", async () => {
    showOne("proj_personal");
    expect(await screen.findByRole("heading", { level: 1, name: "Personal" })).toBeTruthy();
  });
});
