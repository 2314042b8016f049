/** Messages of the bundler, for people. */
import type { Message } from "esbuild";

declare const require: NodeJS.Require;

export function isTopLevelAwait(message: Message): boolean {
  return message.text.startsWith("Top-level await");
}

/** `server.ts:3:7: Expected ";"`, each with the line it is about. */
export function describeFailure(messages: Message[], entry: string): string {
  return messages.map((message) => describe(message, entry)).join("\n\n");
}

function describe(message: Message, entry: string): string {
  const { location } = message;
  const notes = notesOf(message)
    .map((note) => `\n  ${note}`)
    .join("");
  if (!location) {
    return message.text + notes;
  }
  const path = require("node:path") as typeof import("node:path");
  const folder = path.dirname(entry);
  const file = path.relative(folder, path.resolve(folder, location.file));
  const marker =
    " ".repeat(location.column) + "^".repeat(Math.max(1, Math.min(location.length, location.lineText.length - location.column)));
  return `${file}:${location.line}:${location.column + 1}: ${message.text}\n    ${location.lineText}\n    ${marker}${notes}`;
}

/** The bundler's advice is for those who configure it. */
function notesOf({ text, notes }: Message): string[] {
  if (!/^Could not resolve "[^./#]/.test(text)) {
    return notes.map((note) => note.text);
  }
  return ["The package is not installed: run `npm install` in the folder of the plugin, and list it under dependencies."];
}
