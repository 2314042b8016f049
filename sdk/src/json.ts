/** A value that survives `JSON.stringify` and `JSON.parse` unchanged: what crosses every channel. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** What may be sent or stored as JSON. A member that is `undefined` counts as absent. */
export type JsonInput = string | number | boolean | null | readonly JsonInput[] | { readonly [key: string]: JsonInput | undefined };

/**
 * What may be sent or stored as JSON, of a type with named members: an `interface` has no index signature, which `JsonInput` asks for.
 * To be intersected with the type itself; `never` where a member is no JSON.
 */
export type JsonLike<T> = T extends JsonInput
  ? T
  : T extends (...values: never[]) => unknown
    ? never
    : T extends object
      ? { readonly [Name in keyof T]: JsonLike<T[Name]> | Extract<T[Name], undefined> }
      : never;

/** A value, or a promise of it: a callback that may answer with this may be `async`. */
export type MaybePromise<T> = T | Promise<T>;
