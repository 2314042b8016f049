import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Environment } from "#sdk/records.js";
import EnvironmentPage from "@/pages/environment";

import { ownMachine } from "../machines/fixtures";
import { FakeService, Refusal } from "../plugins_pages/fake_service";
import { renderPage, resetWindow } from "../plugins_pages/render_page";
import { threadRecord } from "../threads/fixtures";

let environment: Environment;
let service: FakeService;

beforeEach(() => {
  environment = {
    id: "env_1",
    name: null,
    projectId: "proj_1",
    hostId: ownMachine.id,
    path: "/data/worktrees/env_1",
    managed: true,
    isGitRepo: true,
    isWorktree: true,
    workspaceProvisionType: "managed-worktree",
    providerId: null,
    branchName: "svc/door",
    baseBranch: "main",
    defaultBranch: "main",
    mergeBaseBranch: null,
    status: "ready",
    statusDetail: null,
    lifecycle: { phase: "active", retireAt: null, teardown: null },
    createdAt: 1,
    updatedAt: 1,
  };
  service = new FakeService()
    .on("GET /system/config", () => ({ records: ["threads", "projects", "hosts", "environments"] }))
    .on("GET /hosts", () => ({ hosts: [ownMachine] }))
    .on("GET /projects", () => ({ projects: [{ id: "proj_1", name: "shop", kind: "standard", sources: [] }] }))
    .on("GET /threads", () => ({
      threads: [
        threadRecord({ id: "t1", title: "Paint the door", environmentId: "env_1" }),
        threadRecord({ id: "t2", title: "Elsewhere", environmentId: "env_2" }),
      ],
    }))
    .on("GET /environments/env_1", () => ({ environment }))
    .on("GET /environments/env_1/pull-request", () => ({ outcome: "absent" }))
    .on("GET /environments/env_1/status", () => ({
      outcome: "available",
      workspace: {
        checkout: { kind: "branch", branchName: "svc/door", headSha: "abc" },
        branch: { currentBranch: "svc/door", defaultBranch: "main" },
        workingTree: { hasUncommittedChanges: true, files: [] },
        mergeBase: null,
      },
    }))
    .on("GET /environments/env_1/diff-files", () => ({
      outcome: "available",
      files: [],
      initialPatches: [],
      mergeBaseRef: null,
      shortstat: "",
      truncated: false,
    }))
    .on("PATCH /environments/env_1", () => ({ environment }))
    .on("DELETE /environments/env_1", () => ({ environment }))
    .on("POST /environments/env_1/commit", () => ({ message: "1 file was committed" }))
    .on("POST /environments/env_1/archive-threads", () => ({ archivedThreadIds: ["t1"] }))
    .install();
});
afterEach(resetWindow);

const show = () => renderPage("/environments/:environmentId", EnvironmentPage, "/environments/env_1");
const press = async (name: string) => userEvent.click(await screen.findByRole("button", { name }));
const confirm = async (name: string) => userEvent.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name }));

describe("the page of a workspace", () => {
  it("says what it is, who works there and what has changed, and commits it", async () => {
    show();
    expect(await screen.findByRole("heading", { level: 1, name: "svc/door" })).toBeTruthy();
    const threads = await screen.findByRole("list", { name: "Threads of the workspace" });
    expect(await within(threads).findByText("Paint the door")).toBeTruthy();
    expect(threads.textContent).not.toContain("Elsewhere");
    expect(screen.getByText("A worktree that the service made and removes")).toBeTruthy();
    expect(screen.getByRole("link", { name: "/data/worktrees/env_1" }).getAttribute("href")).toContain("path=%2Fdata%2Fworktrees%2Fenv_1");
    expect(await screen.findByRole("link", { name: "shop" })).toBeTruthy();
    await press("Commit all");
    await waitFor(() => expect(service.bodies("POST /environments/env_1/commit")).toEqual([{}]));
  });

  it("is renamed, and called as its branch again", async () => {
    environment = { ...environment, name: "Door" };
    show();
    await screen.findByRole("heading", { level: 1, name: "Door" });
    await press("Rename");
    const field = screen.getByRole("textbox", { name: "Name" });
    await userEvent.clear(field);
    await userEvent.type(field, "Roof{Enter}");
    await press("Rename");
    await userEvent.clear(await screen.findByRole("textbox", { name: "Name" }));
    await userEvent.keyboard("{Enter}");
    expect(service.bodies("PATCH /environments/env_1")).toEqual([{ name: "Roof" }, { name: null }]);
  });

  it("archives its threads and is removed, both after a question", async () => {
    show();
    await press("Archive its threads");
    await confirm("Archive");
    expect(service.bodies("POST /environments/env_1/archive-threads")).toEqual([{}]);
    await press("Remove");
    await confirm("Remove");
    expect(service.requests.filter(({ method }) => method === "DELETE")).toHaveLength(1);
    expect(await screen.findByText("elsewhere")).toBeTruthy();
  });

  it("that is somebody's own folder is not removed", async () => {
    environment = { ...environment, managed: false, workspaceProvisionType: "unmanaged" };
    show();
    await screen.findByRole("heading", { level: 1 });
    expect(screen.queryByRole("button", { name: "Remove" })).toBeNull();
  });

  it("that failed says why, and has nothing to compare", async () => {
    environment = { ...environment, status: "error", statusDetail: ".svc/setup ended with 1", path: null };
    show();
    expect(await screen.findByText(".svc/setup ended with 1")).toBeTruthy();
    expect(screen.getByText("Failed")).toBeTruthy();
    expect(screen.queryByRole("heading", { name: "Changes" })).toBeNull();
  });

  it("says that there is none of that id", async () => {
    service.on("GET /environments/env_1", () => {
      throw new Refusal(404, "not_found", "no such environment");
    });
    show();
    expect(await screen.findByRole("heading", { level: 1, name: "This workspace is not known" })).toBeTruthy();
  });
});
