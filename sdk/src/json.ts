/** A value that survives `JSON.stringify` and `JSON.parse` unchanged: what crosses every channel. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** What may be sent or stored as JSON. A member that is `undefined` counts as absent. */
export type JsonInput = string | number | boolean | null | readonly JsonInput[] | { readonly [key: string]: JsonInput | undefined };

/** A value, or a promise of it: a callback that may answer with this may be `async`. */
export type MaybePromise<T> = T | Promise<T>;
