// @vitest-environment happy-dom
import { loadPluginApp, renderSlot } from "@get-svc/plugin-sdk/testing/app";
import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";

import { parseCsv } from "../csv";

afterEach(cleanup);

async function load() {
  const app = await loadPluginApp(() => import("../app"));
  expect(app.warnings).toEqual([]);
  return app;
}

const cells = () => screen.queryAllByRole("cell").map((cell) => cell.textContent);

test("quotes hold commas, line ends and quotes", () => {
  expect(parseCsv('a,"b, ""c""\nd"\r\n1,\n')).toEqual([
    ["a", 'b, "c"\nd'],
    ["1", ""],
  ]);
  expect(parseCsv("")).toEqual([]);
  expect(parseCsv("no line end")).toEqual([["no line end"]]);
});

test("what is typed becomes a table", async () => {
  renderSlot((await load()).navPanels[0]!, { subPath: "" });
  expect(cells()).toContain("Ulm, an der Donau");
  fireEvent.change(screen.getByLabelText("Comma-separated text"), { target: { value: "x\n1\n" } });
  expect(cells()).toEqual(["1"]);
});

const Original = () => <p>the built-in view</p>;
const kFile = {
  path: "/data/cities.csv",
  source: { kind: "host", threadId: null, environmentId: null, projectId: null },
  Original,
  experimental_Original: Original,
} as const;

test("a file is shown as a table", async () => {
  renderSlot((await load()).fileOpeners[0]!, kFile, {
    sdk: { files: { read: async () => ({ content: "city\nUlm\n", contentEncoding: "utf8" }) } },
  });
  expect((await screen.findByRole("cell")).textContent).toBe("Ulm");
});

test("a file that cannot be read is left to the built-in view", async () => {
  renderSlot((await load()).fileOpeners[0]!, kFile, {
    sdk: { files: { read: () => Promise.reject(new Error("gone")) } },
  });
  await screen.findByText("the built-in view");
});

test("a directive of an agent is text, whatever it holds", async () => {
  const data = "a;<img src=x onerror=alert(1)>";
  renderSlot((await load()).messageDirectives[0]!, {
    attributes: { data },
    source: `::csv{data="${data}"}`,
    message: { id: "1", threadId: "t", turnId: null, projectId: null },
    openWorkspaceFile: null,
  });
  expect(cells()).toEqual(["<img src=x onerror=alert(1)>"]);
  expect(document.querySelector("img")).toBeNull();
});
