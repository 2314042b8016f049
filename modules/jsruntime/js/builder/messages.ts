/** Messages of the bundler, for people. */
import type { Message } from "esbuild";

declare const require: NodeJS.Require;

export function isTopLevelAwait(message: Message): boolean {
  return message.text.startsWith("Top-level await");
}

/** `server.ts:3:7: Expected ";"`, each with the line it is about. */
export function describeFailure(messages: Message[], entry: string): string {
  // A tsconfig.json that cannot be read is why others are not found.
  const isCause = ({ location }: Message): boolean => /(^|\/)tsconfig[^/]*\.json$/.test(location?.file ?? "");
  const sorted = [...messages.filter(isCause), ...messages.filter((message) => !isCause(message))];
  return sorted.map((message) => describe(message, entry)).join("\n\n");
}

function describe(message: Message, entry: string): string {
  const { location } = message;
  const notes = notesOf(message)
    .map((note) => `\n  ${note}`)
    .join("");
  // Some show the first line alone.
  const text = message.text + (isMissingPackage(message) ? " (is it installed, and in package.json?)" : "");
  if (!location) {
    return text + notes;
  }
  const path = require("node:path") as typeof import("node:path");
  const folder = path.dirname(entry);
  const file = path.relative(folder, path.resolve(folder, location.file));
  const marker =
    " ".repeat(location.column) + "^".repeat(Math.max(1, Math.min(location.length, location.lineText.length - location.column)));
  return `${file}:${location.line}:${location.column + 1}: ${text}\n    ${location.lineText}\n    ${marker}${notes}`;
}

/** The bundler's advice is for those who configure it. */
function notesOf(message: Message): string[] {
  if (!isMissingPackage(message)) {
    return message.notes.map((note) => note.text);
  }
  return ["The package is not installed: run `npm install` in the folder of the plugin, and list it under dependencies."];
}

function isMissingPackage({ text }: Message): boolean {
  return /^Could not resolve "[^./#]/.test(text);
}
