import { QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { afterEach, describe, expect, it, vi } from "vitest";

import { queryClient } from "@/api/queries";
import { clearNotifications, notificationsNow } from "@/lib/notifications";
import { Changes, checkoutText } from "@/threads/changes";
import { TooltipProvider } from "@/ui/tooltip";

import { FakeService, Refusal } from "../plugins_pages/fake_service";

afterEach(() => {
  cleanup();
  clearNotifications();
  queryClient.clear();
});

const kPatch = "--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-old\n+new\n";
const file = (path: string, more: object = {}) => ({
  path,
  previousPath: null,
  changeKind: "modified",
  origin: "tracked",
  additions: 1,
  deletions: 1,
  binary: false,
  loadMode: "auto",
  ...more,
});

function service(hasChanges = true) {
  return new FakeService()
    .on("GET /environments/e1/status", () => ({
      outcome: "available",
      workspace: {
        checkout: { kind: "branch", branchName: "fix-door", headSha: "abc" },
        branch: { currentBranch: "fix-door", defaultBranch: "main" },
        workingTree: { hasUncommittedChanges: hasChanges, files: [] },
        mergeBase: { mergeBaseBranch: "main", aheadCount: 2, behindCount: 1 },
      },
    }))
    .on("GET /environments/e1/pull-request", () => ({ outcome: "absent" }))
    .on("GET /environments/e1/diff-files", () => ({
      outcome: "available",
      files: hasChanges
        ? [file("a.ts"), file("big.ts", { loadMode: "on_demand" }), file("logo.png", { binary: true, changeKind: "added" })]
        : [],
      initialPatches: [{ path: "a.ts", patch: kPatch, truncated: false }],
      mergeBaseRef: null,
      shortstat: "",
      truncated: false,
    }))
    .install();
}

function show() {
  render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <TooltipProvider>
          <Changes environmentId="e1" />
        </TooltipProvider>
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

describe("the changes of a workspace", () => {
  it("are its branch, how far it is from the other one, and its files, each with its lines when it is opened", async () => {
    const fake = service().on("POST /environments/e1/diff-patch", () => ({
      outcome: "available",
      patches: [{ path: "big.ts", patch: kPatch, truncated: true }],
    }));
    show();
    expect(await screen.findByText("fix-door")).toBeTruthy();
    expect(screen.getByText("2 commits ahead of main, 1 behind")).toBeTruthy();
    await userEvent.click(await screen.findByRole("button", { name: /^a\.ts/ }));
    expect(fake.bodies("POST /environments/e1/diff-patch")).toEqual([]);
    await userEvent.click(screen.getByRole("button", { name: /^big\.ts/ }));
    expect(await screen.findByText("Only its beginning is shown.")).toBeTruthy();
    expect(fake.bodies("POST /environments/e1/diff-patch")).toEqual([{ paths: ["big.ts"], target: { type: "uncommitted" } }]);
    await userEvent.click(screen.getByRole("button", { name: /^logo\.png/ }));
    expect(screen.getByText(/binary file/)).toBeTruthy();
  });

  it("are those since the other branch where somebody asks for them", async () => {
    const fake = service();
    show();
    await userEvent.selectOptions(await screen.findByRole("combobox", { name: "What is compared" }), "Everything since main");
    await vi.waitFor(() => {
      const { query } = fake.requests.findLast(({ path }) => path === "/environments/e1/diff-files")!;
      expect(Object.fromEntries(query)).toEqual({ target: "all", mergeBaseBranch: "main" });
    });
  });

  it("are committed with a message or the thread's title; why not is said where that was asked", async () => {
    let isRefused = true;
    const fake = service().on("POST /environments/e1/commit", () => {
      if (isRefused) {
        throw new Refusal(409, "conflict", "Another git command runs there.");
      }
      return { action: "commit", message: "Committed 3 files.", commitSha: "1", commitSubject: "s" };
    });
    show();
    const field = await screen.findByRole("textbox", { name: "Message of the commit" });
    const hint = document.getElementById(field.getAttribute("aria-describedby")!);
    expect(hint?.textContent).toBe("Hooks of the repository, such as pre-commit, do not run.");
    await userEvent.type(field, " Paint ");
    await userEvent.click(screen.getByRole("button", { name: "Commit all" }));
    expect(await screen.findByText(/Another git command/)).toBeTruthy();
    isRefused = false;
    await userEvent.click(screen.getByRole("button", { name: "Commit all" }));
    await vi.waitFor(() => expect(notificationsNow().map(({ title }) => title)).toEqual(["Committed 3 files."]));
    await userEvent.click(screen.getByRole("button", { name: "Commit all" }));
    expect(fake.bodies("POST /environments/e1/commit")).toEqual([{ message: "Paint" }, { message: "Paint" }, {}]);
  });

  it("are none, and there is nothing to commit", async () => {
    service(false);
    show();
    expect(await screen.findByText("Nothing has changed")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Commit all" })).toBeNull();
  });

  it("are not shown where there is no repository, and the reason is", async () => {
    new FakeService()
      .on("GET /environments/e1/status", () => ({
        outcome: "not_applicable",
        reason: "non_git_environment",
        message: "The folder is no git repository.",
      }))
      .install();
    show();
    expect(await screen.findByText("The folder is no git repository.")).toBeTruthy();
  });

  it("name what is checked out", () => {
    expect(checkoutText({ checkout: { kind: "detached", headSha: "abcdef1234" } })).toBe("No branch, at abcdef1");
    expect(checkoutText({ checkout: { kind: "unborn", branchName: "main" } })).toBe("main, nothing committed yet");
  });
});
