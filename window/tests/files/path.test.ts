import { expect, it } from "vitest";

import { crumbsOf, folderOf, joinPath, nameIssue, nameOf, splitTyped } from "@/files/path";
import { hasSource, previewKindOf, splitPatch } from "@/files/preview_kind";
import { paths } from "@/lib/navigation";

it("takes paths apart and puts them together", () => {
  expect(crumbsOf("/a/b").map(({ path }) => path)).toEqual(["/", "/a", "/a/b"]);
  expect([folderOf("/a/b"), folderOf("/a"), folderOf("/"), nameOf("/a/b/"), nameOf("/")]).toEqual(["/a", "/", "/", "b", ""]);
  expect([joinPath("/", "a"), joinPath("/a", "b")]).toEqual(["/a", "/a/b"]);
});

it("tells the folder that is typed from the name that is begun", () => {
  expect(splitTyped("/home/a")).toEqual({ folder: "/home", prefix: "a" });
  expect(splitTyped("/home/")).toEqual({ folder: "/home", prefix: "" });
  expect(splitTyped("/h")).toEqual({ folder: "/", prefix: "h" });
});

it("refuses names that no file can have", () => {
  expect([" ", "..", "a/b", "a b"].map((name) => nameIssue(name) === null)).toEqual([false, false, false, true]);
});

it("knows by the name how a file is shown", () => {
  expect(["A.PNG", "x.pdf", "README.md", "fix.patch", "main.cpp", "Makefile"].map(previewKindOf)).toEqual([
    "image",
    "pdf",
    "markdown",
    "diff",
    "text",
    "text",
  ]);
  expect(["a.svg", "a.md", "a.png"].map(hasSource)).toEqual([true, true, false]);
});

it("shows a patch file by file, without the message above it", () => {
  const file = (name: string) => `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-a\n+b\n`;
  expect(splitPatch(`From: somebody\n\n${file("a")}${file("b")}`)).toEqual([file("a"), file("b")]);
  expect(splitPatch("--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n")).toHaveLength(1);
});

it("writes the address of a folder and a file", () => {
  expect(paths.files()).toBe("/files");
  expect(paths.files({ hostId: "h 1", folder: "/a b", file: "c&d", line: 3 })).toBe("/files/h%201?path=%2Fa+b&file=c%26d&line=3");
});
