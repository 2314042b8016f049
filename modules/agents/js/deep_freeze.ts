const { freeze, values } = Object;

/** Freezes a JSON value with everything in it. */
export function deepFreeze(value: unknown): unknown {
  if (typeof value === "object" && value !== null) {
    values(value).forEach(deepFreeze);
    freeze(value);
  }
  return value;
}
