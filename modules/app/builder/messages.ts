import type { Message as EsbuildMessage } from "esbuild";

/** What the builder says about one place, or about the build as a whole. Lines and columns count from 1. */
export interface Message {
  text: string;
  /** Relative to the plugin root. */
  file?: string;
  line?: number;
  column?: number;
  length?: number;
  lineText?: string;
}

/** A build that fails: what the author has to read. */
export class BuildError extends Error {
  readonly messages: readonly Message[];

  constructor(...messages: (Message | string)[]) {
    const list = messages.map((message) => (typeof message === "string" ? { text: message } : message));
    super(list.map((message) => message.text).join("; "));
    this.messages = list;
  }
}

/** esbuild's own advice names options that a plugin's author does not have. */
function adviceOf({ text, notes }: EsbuildMessage): string[] {
  const name = /^Could not resolve "([^"]+)"$/.exec(text)?.[1] ?? "";
  return notes.flatMap((note) => {
    if (note.text.includes("built into node")) {
      return [
        `${name} is a module of Node.js, and the app entry runs in a browser: keep what needs it in the server entry and call that over RPC`,
      ];
    }
    if (note.text.startsWith("You can mark the path")) {
      const isAlone = notes.length === 1 && !name.startsWith("#");
      return isAlone ? ["is it installed, and in package.json?"] : [];
    }
    return note.text === "" ? [] : [note.text];
  });
}

export function fromEsbuild(message: EsbuildMessage): Message {
  const place = message.location;
  const notes = adviceOf(message)
    .map((note) => ` (${note})`)
    .join("");
  if (!place) {
    return { text: message.text + notes };
  }
  return {
    text: message.text + notes,
    file: place.file.replace(/^[a-z-]+:/, ""),
    line: place.line,
    column: place.column + 1,
    length: place.length,
    lineText: place.lineText,
  };
}

/** A tsconfig.json that cannot be read is why others are not found: some show the first message alone. */
const causesFirst = (errors: readonly EsbuildMessage[]): EsbuildMessage[] => {
  const isCause = ({ location }: EsbuildMessage): boolean => /(^|\/)tsconfig[^/]*\.json$/.test(location?.file ?? "");
  return [...errors.filter(isCause), ...errors.filter((error) => !isCause(error))];
};

export function messagesOf(failure: unknown): readonly Message[] {
  if (failure instanceof BuildError) {
    return failure.messages;
  }
  const errors = (failure as { errors?: EsbuildMessage[] } | undefined)?.errors;
  if (Array.isArray(errors) && errors.length > 0) {
    return causesFirst(errors).map(fromEsbuild);
  }
  return [{ text: failure instanceof Error ? failure.message : String(failure) }];
}
