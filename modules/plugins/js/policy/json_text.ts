import type { HostRuntime } from "../../../jsruntime/js/runtime";
import { copyJson, isLongText, type HoldersOfLongText, type JsonViolation } from "./strict_json";

const { stringify } = JSON;
const { keys } = Object;
const { isArray } = Array;

/** Text as it is and long texts take turns, the text as it is first and last: what HostRuntime.quoteJson() takes. */
class Pieces {
  readonly list: string[] = [];
  private text = "";

  constructor(private readonly holders: HoldersOfLongText) {}

  end(): string[] {
    this.list.push(this.text);
    return this.list;
  }

  add(value: unknown): void {
    if (isLongText(value)) {
      this.list.push(this.text, value);
      this.text = "";
    } else if (!this.holders.has(value)) {
      this.text += stringify(value);
    } else if (isArray(value)) {
      this.addArray(value);
    } else {
      this.addObject(value as Record<string, unknown>);
    }
  }

  private addArray(values: unknown[]): void {
    this.text += "[";
    for (let index = 0; index < values.length; index++) {
      this.text += index === 0 ? "" : ",";
      this.add(values[index]);
    }
    this.text += "]";
  }

  private addObject(record: Record<string, unknown>): void {
    let separator = "{";
    for (const key of keys(record)) {
      const member = record[key];
      if (member !== undefined) {
        this.text += `${separator}${stringify(key)}:`;
        separator = ",";
        this.add(member);
      }
    }
    this.text += "}";
  }
}

/**
 * The text of a value that is strict JSON, the same as JSON.stringify() makes of it, or why it is not. V8 looks at each character of a string
 * through several calls: long texts, a file for example, are quoted by the host instead, several times as fast.
 */
export function strictJsonText(runtime: Pick<HostRuntime, "quoteJson">, value: unknown): string | JsonViolation {
  const { copy, violation, holders } = copyJson(value);
  if (violation !== null) {
    return violation;
  }
  if (holders !== null) {
    const pieces = new Pieces(holders);
    pieces.add(copy);
    const text = runtime.quoteJson(pieces.end());
    if (text !== undefined) {
      return text;
    }
  }
  return stringify(copy);
}
