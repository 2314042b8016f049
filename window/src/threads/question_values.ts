import type { UserQuestion } from "#sdk/records.js";

type Expected = NonNullable<UserQuestion["expects"]>;

/** What a field takes, as its hint. */
export function expectedText({ type, minimum, maximum }: Expected): string {
  const what = type === "integer" ? "A whole number" : "A number";
  if (minimum !== undefined && maximum !== undefined) {
    return `${what} from ${minimum} to ${maximum}`;
  }
  return minimum !== undefined ? `${what} of at least ${minimum}` : maximum !== undefined ? `${what} of at most ${maximum}` : what;
}

/** As the service reads it: a number of JSON. */
const kNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Why a text is not what its field takes; null for one that is, and for none. */
export function problemOf(expects: Expected | undefined, text: string): string | null {
  const written = text.trim();
  if (expects === undefined || written === "") {
    return null;
  }
  const value = Number(written);
  const { type, minimum = -Infinity, maximum = Infinity } = expects;
  const fits = kNumber.test(written) && (type !== "integer" || Number.isInteger(value)) && value >= minimum && value <= maximum;
  return fits ? null : `${expectedText(expects)}, not “${written}”.`;
}
