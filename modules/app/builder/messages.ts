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

export function fromEsbuild(message: EsbuildMessage): Message {
  const place = message.location;
  const notes = message.notes.filter((note) => note.text !== "").map((note) => ` (${note.text})`).join("");
  if (!place) return { text: message.text + notes };
  return {
    text: message.text + notes,
    file: place.file.replace(/^[a-z-]+:/, ""),
    line: place.line,
    column: place.column + 1,
    length: place.length,
    lineText: place.lineText,
  };
}

export function messagesOf(failure: unknown): readonly Message[] {
  if (failure instanceof BuildError) return failure.messages;
  const errors = (failure as { errors?: EsbuildMessage[] } | undefined)?.errors;
  if (Array.isArray(errors) && errors.length > 0) return errors.map(fromEsbuild);
  return [{ text: failure instanceof Error ? failure.message : String(failure) }];
}
