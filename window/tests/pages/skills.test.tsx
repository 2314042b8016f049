import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";

import type { Skill } from "@/api/skills";
import SkillsPage from "@/pages/skills";
import { bodyOf, groupSkills } from "@/pages/skills/groups";

import { FakeService, Refusal } from "../plugins_pages/fake_service";
import { renderPage, resetWindow } from "../plugins_pages/render_page";

afterEach(() => {
  resetWindow();
  vi.unstubAllGlobals();
});

function skill(id: string, more: Partial<Skill> = {}): Skill {
  const name = id.split(":").at(-1)!;
  return {
    id,
    name,
    description: `When ${name} is needed.`,
    filePath: `/data/${name}/SKILL.md`,
    scope: "svc-user",
    provider: null,
    pluginId: null,
    registrySkillId: null,
    manageable: true,
    offered: true,
    tree: { digest: "1", files: [{ path: "SKILL.md", size: 100, digest: "a", executable: false }] },
    ...more,
  };
}

const ofPlugin = skill("plugin:todo:todos", {
  scope: "plugin",
  pluginId: "todo",
  manageable: false,
  tree: {
    digest: "2",
    files: [
      { path: "SKILL.md", size: 100, digest: "a", executable: false },
      { path: "scripts/run.sh", size: 2048, digest: "b", executable: true },
      { path: "logo.png", size: 3, digest: "c", executable: false },
    ],
  },
});
const kText = "---\nname: notes\ndescription: x\n---\n# Notes\n\nKeep **them**.\n";

function serve(skills: Skill[], problems: { path: string; message: string }[] = []): FakeService {
  return new FakeService()
    .on("GET /skills", () => ({ skills, problems, catalogHash: "h" }))
    .on("GET /skills/content", ({ query }) => {
      if (query.get("path") === "logo.png") {
        throw new Refusal(400, "invalid_argument", "logo.png is no text (3 bytes)");
      }
      return { content: query.get("path") === "SKILL.md" ? kText : "#!/bin/sh\n", revision: "r1" };
    })
    .install();
}
const show = (address: string) => renderPage(address.startsWith("/skills/") ? "/skills/:skillId" : "/skills", SkillsPage, address);

describe("the list", () => {
  it("has every skill where it comes from", async () => {
    serve([
      ofPlugin,
      skill("svc-user:notes"),
      skill("provider-user:claude:own", { scope: "provider-user", provider: "claude", offered: false }),
    ]);
    show("/skills");
    const plugins = within(await screen.findByRole("list", { name: "Of plugins" }));
    expect(plugins.getByRole("link", { name: "todos" }).getAttribute("href")).toBe("/skills/plugin%3Atodo%3Atodos");
    expect(screen.getAllByRole("list").map((list) => list.getAttribute("aria-label"))).toEqual(["Yours", "Of plugins", "Of single agents"]);
  });

  it("is searched, and says when nothing fits", async () => {
    serve([ofPlugin, skill("svc-user:notes")]);
    show("/skills");
    await userEvent.type(await screen.findByRole("searchbox"), "todo");
    expect(screen.queryByRole("link", { name: "notes" })).toBeNull();
    expect(screen.getByRole("link", { name: "todos" })).toBeTruthy();
    await userEvent.type(screen.getByRole("searchbox"), " nothing");
    await userEvent.click(screen.getByRole("button", { name: "Clear the search" }));
    expect(screen.getByRole("link", { name: "notes" })).toBeTruthy();
  });

  it("says what an empty one is for, and what is wrong with folders", async () => {
    serve([], [{ path: "/data/skills/bad", message: "it has no SKILL.md" }]);
    show("/skills");
    expect(await screen.findByRole("heading", { name: "No skills yet" })).toBeTruthy();
    expect(screen.getByText("1 remark on folders of skills")).toBeTruthy();
    expect(screen.getByText("/data/skills/bad")).toBeTruthy();
  });

  it("tells of a service that does not answer", async () => {
    new FakeService()
      .on("GET /skills", () => {
        throw new Refusal(503, "overloaded", "too many jobs are waiting");
      })
      .install();
    show("/skills");
    expect((await screen.findByRole("alert")).textContent).toContain("too many jobs are waiting");
  });

  it("puts the strongest first, and marks what is hidden", () => {
    const groups = groupSkills([skill("plugin:b:x", { scope: "plugin", pluginId: "b" }), skill("svc-user:b"), skill("svc-user:a")], "");
    expect(groups.map(({ title, skills }) => [title, skills.map(({ name }) => name)])).toEqual([
      ["Yours", ["a", "b"]],
      ["Of plugins", ["x"]],
    ]);
  });
});

describe("one skill", () => {
  it("is shown as it reads, without its head", async () => {
    serve([skill("svc-user:notes")]);
    show("/skills/svc-user%3Anotes");
    expect(await screen.findByRole("heading", { level: 3, name: "Notes" })).toBeTruthy();
    expect(screen.queryByText(/description: x/)).toBeNull();
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("notes");
  });

  it("has its files, one of which the address names", async () => {
    serve([ofPlugin]);
    show("/skills/plugin%3Atodo%3Atodos?file=scripts%2Frun.sh");
    const files = within(await screen.findByRole("list", { name: "Files" }));
    expect(files.getByRole("link", { current: true }).textContent).toBe("scripts/run.sh");
    expect(await screen.findByText("#!/bin/sh")).toBeTruthy();
    await userEvent.click(files.getByRole("link", { name: "logo.png" }));
    expect(await screen.findByText("It is no text")).toBeTruthy();
  });

  it("of a plugin links it and cannot be changed", async () => {
    serve([ofPlugin]);
    show("/skills/plugin%3Atodo%3Atodos");
    expect((await screen.findByRole("link", { name: "todo" })).getAttribute("href")).toBe("/plugins/todo");
    expect(screen.queryByRole("button", { name: "Edit" })).toBeNull();
  });

  it("that is not there says so", async () => {
    serve([]);
    show("/skills/svc-user%3Anone");
    expect(await screen.findByRole("heading", { level: 1, name: "There is no such skill" })).toBeTruthy();
  });

  it("is saved at the revision that was read", async () => {
    const service = serve([skill("svc-user:notes")]).on("PUT /skills", () => ({ filePath: "/x", revision: "r2" }));
    show("/skills/svc-user%3Anotes");
    await userEvent.click(await screen.findByRole("button", { name: "Edit" }));
    await userEvent.type(await screen.findByRole("textbox"), "More.");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(screen.queryByRole("textbox")).toBeNull());
    expect(service.bodies("PUT /skills")).toEqual([
      { projectId: "proj_personal", environmentId: null, skillId: "svc-user:notes", content: `${kText}More.`, revision: "r1" },
    ]);
  });

  it("is left at once while nothing is changed, and after a question when something is", async () => {
    const service = serve([skill("svc-user:notes")]);
    show("/skills/svc-user%3Anotes");
    const edit = async () => userEvent.click(await screen.findByRole("button", { name: "Edit" }));
    await edit();
    await screen.findByRole("textbox");
    await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
    await edit();
    await userEvent.type(await screen.findByRole("textbox"), "Mine.");
    await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
    await userEvent.click(await screen.findByRole("button", { name: "Keep editing" }));
    expect(screen.getByRole<HTMLTextAreaElement>("textbox").value).toContain("Mine.");
    await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
    await userEvent.click(await screen.findByRole("button", { name: "Discard" }));
    await waitFor(() => expect(screen.queryByRole("textbox")).toBeNull());
    expect(service.bodies("PUT /skills")).toEqual([]);
  });

  it("that was changed meanwhile is only overwritten when asked", async () => {
    const service = serve([skill("svc-user:notes")]).on("PUT /skills", ({ body }) => {
      if ((body as { revision: string }).revision !== "r9") {
        throw new Refusal(409, "conflict", "changed", { details: { revision: "r9" } });
      }
      return { filePath: "/x", revision: "r10" };
    });
    show("/skills/svc-user%3Anotes");
    await userEvent.click(await screen.findByRole("button", { name: "Edit" }));
    await userEvent.type(await screen.findByRole("textbox"), "Mine.");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    expect((await screen.findByRole("alert")).textContent).toContain("has been changed meanwhile");
    expect(screen.getByRole<HTMLTextAreaElement>("textbox").value).toContain("Mine.");
    await userEvent.click(screen.getByRole("button", { name: "Overwrite it" }));
    await waitFor(() => expect(screen.queryByRole("textbox")).toBeNull());
    expect(service.bodies("PUT /skills")).toHaveLength(2);
  });

  it("whose text is no skill is not saved, and the field says why", async () => {
    serve([skill("svc-user:notes")]).on("PUT /skills", () => {
      throw new Refusal(400, "invalid_input", "description in SKILL.md must say when to use the skill");
    });
    show("/skills/svc-user%3Anotes");
    await userEvent.click(await screen.findByRole("button", { name: "Edit" }));
    await screen.findByRole("textbox");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    expect((await screen.findByRole("alert")).textContent).toContain("must say when to use");
    expect(screen.getByRole("textbox").getAttribute("aria-invalid")).toBe("true");
  });

  it("is removed after a question", async () => {
    const service = serve([skill("svc-user:notes")]).on("DELETE /skills", () => ({ deletedPath: "/x" }));
    show("/skills/svc-user%3Anotes");
    await userEvent.click(await screen.findByRole("button", { name: "Remove…" }));
    await userEvent.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Remove" }));
    expect(await screen.findByText("elsewhere")).toBeTruthy();
    expect(service.bodies("DELETE /skills")).toEqual([{ projectId: "proj_personal", environmentId: null, skillId: "svc-user:notes" }]);
  });
});

it("the head of a text is cut off, and only that", () => {
  expect(bodyOf("---\na: b\n---\nText\n---\nmore")).toBe("Text\n---\nmore");
  expect(bodyOf("\uFEFF---\r\na: b\r\n---\r\nText")).toBe("Text");
  expect(bodyOf("No head\n---\n")).toBe("No head\n---\n");
});
