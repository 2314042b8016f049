/**
 * A validator that follows Standard Schema v1, as zod, valibot, arktype and others provide it.
 * `Input` is what it accepts, `Output` what it returns (they differ when it transforms or fills in defaults).
 */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly "~standard": StandardSchemaV1.Props<Input, Output>;
}

export declare namespace StandardSchemaV1 {
  interface Props<Input = unknown, Output = Input> {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Result<Output> | Promise<Result<Output>>;
    /** Never set at run time: carries the types to the compiler. */
    readonly types?: Types<Input, Output> | undefined;
  }

  interface Types<Input = unknown, Output = Input> {
    readonly input: Input;
    readonly output: Output;
  }

  type Result<Output> = Success<Output> | Failure;

  interface Success<Output> {
    readonly value: Output;
    readonly issues?: undefined;
  }

  interface Failure {
    readonly issues: ReadonlyArray<Issue>;
  }

  interface Issue {
    readonly message: string;
    /** Where the problem is, from the root of the value. */
    readonly path?: ReadonlyArray<PropertyKey | PathSegment> | undefined;
  }

  interface PathSegment {
    readonly key: PropertyKey;
  }

  type InferInput<Schema extends StandardSchemaV1> = NonNullable<Schema["~standard"]["types"]>["input"];
  type InferOutput<Schema extends StandardSchemaV1> = NonNullable<Schema["~standard"]["types"]>["output"];
}

/** What a validator accepts: what is to be sent. */
export type StandardSchemaV1InferInput<Schema extends StandardSchemaV1> = StandardSchemaV1.InferInput<Schema>;
/** What a validator returns: what is received, with defaults filled in and transformations made. */
export type StandardSchemaV1InferOutput<Schema extends StandardSchemaV1> = StandardSchemaV1.InferOutput<Schema>;
/** One thing that a validator objects to. */
export type StandardSchemaV1Issue = StandardSchemaV1.Issue;
/** What a validator answers: the value, or `issues` when it objects. */
export type StandardSchemaV1Result<Output> = StandardSchemaV1.Result<Output>;

/** @internal */
export function isStandardSchema(value: unknown): value is StandardSchemaV1 {
  // Some libraries make their schemas callable.
  if ((typeof value !== "object" && typeof value !== "function") || value === null) {
    return false;
  }
  const standard = (value as { "~standard"?: unknown })["~standard"];
  return (
    typeof standard === "object" &&
    standard !== null &&
    (standard as { version?: unknown }).version === 1 &&
    typeof (standard as { validate?: unknown }).validate === "function"
  );
}
