import { UsageError } from "./errors.js";
import { listed, nearest } from "./names.js";
import type { CliDurationOption, CliDurationUnit, CliEnumOption, CliIntegerOption, CliOption, CliStringOption } from "./types.js";

const MILLISECONDS: Record<CliDurationUnit, number> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

const UNIT_NAMES = new Map<string, CliDurationUnit>(
  (
    [
      ["ms", "ms millisecond milliseconds"],
      ["s", "s sec secs second seconds"],
      ["m", "m min mins minute minutes"],
      ["h", "h hr hrs hour hours"],
      ["d", "d day days"],
      ["w", "w week weeks"],
    ] as const
  ).flatMap(([unit, names]) => names.split(" ").map((name) => [name, unit] as const)),
);

export const DURATION_UNITS = Object.keys(MILLISECONDS) as CliDurationUnit[];

/** True when the value of the option is an array. */
export function isList(option: CliOption): boolean {
  return option.type === "string" && (option.repeatable === true || separatorOf(option) !== null);
}

/** One value as it was typed after `flag`; a list for an option that splits. */
export function readValue(flag: string, option: Exclude<CliOption, { type: "boolean" }>, text: string): unknown {
  switch (option.type) {
    case "string":
      return readString(option, text);
    case "integer":
      return readInteger(flag, option, text);
    case "enum":
      return readEnum(flag, option, text);
    case "duration":
      return readDuration(flag, option, text);
  }
}

function separatorOf(option: CliStringOption): string | null {
  if (option.split === undefined || option.split === false) {
    return null;
  }
  return option.split === true ? "," : option.split;
}

function readString(option: CliStringOption, text: string): string | string[] {
  const separator = separatorOf(option);
  if (separator === null) {
    return text;
  }
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function readInteger(flag: string, option: CliIntegerOption, text: string): number {
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(value)) {
    throw invalid(`${flag} needs a whole number, got "${text}"`);
  }
  return inRange(flag, value, option, String);
}

function readEnum(flag: string, { values }: CliEnumOption, text: string): string {
  if (values.includes(text)) {
    return text;
  }
  const meant = nearest(text, values);
  throw invalid(`${flag} must be ${listed(values)}, got "${text}"`, meant === null ? null : `Did you mean ${flag} ${meant}?`);
}

function readDuration(flag: string, option: CliDurationOption, text: string): number {
  const value = durationOf(option, text.trim().toLowerCase());
  if (value === null || !Number.isSafeInteger(value)) {
    const bare = /^[\d.]+$/.test(text.trim());
    throw invalid(
      `${flag} needs a duration such as 90s, 15m or 1h30m, got "${text}"`,
      bare ? `Add a unit: ${listed(DURATION_UNITS)}.` : null,
    );
  }
  return inRange(flag, value, option, durationText);
}

function durationOf({ defaultUnit, bareUnits }: CliDurationOption, text: string): number | null {
  if (/^\d+(\.\d+)?$/.test(text)) {
    return defaultUnit === undefined ? null : Math.round(Number(text) * MILLISECONDS[defaultUnit]);
  }
  const alone = UNIT_NAMES.get(text);
  if (alone !== undefined) {
    return bareUnits === true ? MILLISECONDS[alone] : null;
  }
  let total = 0;
  let rest = text;
  while (rest !== "") {
    const part = /^(\d+(?:\.\d+)?)\s*([a-z]+)\s*/.exec(rest);
    const unit = part === null ? undefined : UNIT_NAMES.get(part[2] as string);
    if (part === null || unit === undefined) {
      return null;
    }
    total += Number(part[1]) * MILLISECONDS[unit];
    rest = rest.slice(part[0].length);
  }
  return text === "" ? null : Math.round(total);
}

/** The largest units that say it exactly: `1h30m`. */
export function durationText(milliseconds: number): string {
  let rest = milliseconds;
  let out = "";
  for (const unit of [...DURATION_UNITS].reverse()) {
    const count = Math.floor(rest / MILLISECONDS[unit]);
    if (count > 0) {
      out += `${count}${unit}`;
    }
    rest -= count * MILLISECONDS[unit];
  }
  return out === "" ? "0s" : out;
}

function inRange(flag: string, value: number, { min, max }: { min?: number; max?: number }, show: (value: number) => string): number {
  if (min !== undefined && value < min) {
    throw invalid(`${flag} must be at least ${show(min)}, got ${show(value)}`);
  }
  if (max !== undefined && value > max) {
    throw invalid(`${flag} must be at most ${show(max)}, got ${show(value)}`);
  }
  return value;
}

function invalid(message: string, hint: string | null = null): UsageError {
  return new UsageError("invalid_value", message, hint);
}
