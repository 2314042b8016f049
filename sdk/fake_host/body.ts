/** Arguments of `svc.sdk` for the fakes that play a route, checked as `svc/common/body_reader.h` checks a body. */
import { httpError } from "../../modules/sdkclient/js/call";

interface Issue {
  message: string;
  path: string[];
}

export const invalidInput = (message: string): Error => httpError(400, "invalid_input", message);

export class Body {
  readonly #issues: Issue[] = [];

  constructor(readonly members: Readonly<Record<string, unknown>>) {}

  issue(message: string, ...path: string[]): void {
    this.#issues.push({ message, path });
  }

  optionalString(key: string): string | undefined {
    const value = this.members[key];
    if (value !== undefined && typeof value !== "string") {
      this.issue("Expected a string", key);
    }
    return typeof value === "string" ? value : undefined;
  }

  requiredString(key: string): string {
    if (this.members[key] === undefined) {
      this.issue("Required: a string is missing", key);
    }
    return this.optionalString(key) ?? "";
  }

  flag(key: string): boolean {
    const value = this.members[key];
    if (value !== undefined && typeof value !== "boolean") {
      this.issue("Expected true or false", key);
    }
    return value === true;
  }

  /** Base64 with its padding, from the first character to the last. */
  base64(key: string, text: string): Buffer {
    if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) {
      this.issue("Expected Base64 with its padding", key);
    }
    return Buffer.from(text, "base64");
  }

  /** Throws the first issue. A machine that has checked them tells no more than that; a route tells all. */
  finish(by: "machine" | "route"): void {
    const [first] = this.#issues;
    if (first !== undefined) {
      const place = first.path.length > 0 ? `${first.path.join(".")}: ` : "";
      const error = invalidInput(`the request is not valid: ${place}${first.message}`);
      throw by === "route" ? Object.assign(error, { issues: this.#issues }) : error;
    }
  }
}
