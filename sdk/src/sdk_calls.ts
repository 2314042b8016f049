// The shapes of the methods of `svc.sdk`.

/** What every call takes besides its own members. */
export interface SdkCallOptions {
  /** Abort: the call rejects with `AbortError`, and the service stops working on it where it can. */
  signal?: AbortSignal;
}

export type Call<Argument extends object, Result> = (argument: Argument & SdkCallOptions) => Promise<Result>;
export type OptionalCall<Argument extends object, Result> = (argument?: Argument & SdkCallOptions) => Promise<Result>;
/** Named only: rejects with an `HttpError` of status 501 and code `not_supported`. */
export type NotSupported = (argument?: object) => Promise<never>;

/** A whole answer of the service: every method that does not return one record or one list. */
export interface Ok {
  ok: true;
}

export interface Page {
  /** Default and maximum: 100 and 1,000. */
  limit?: number | string;
  offset?: number | string;
}
export interface OfThread {
  threadId: string;
}

/** `limit`: 100 by default, up to 5,000. */
export interface PathQuery {
  query?: string;
  limit?: number | string;
  includeFiles?: boolean | string;
  includeDirectories?: boolean | string;
}

/** Best match first; without a query by path, with `score` 0. */
export interface PathEntry {
  kind: "file" | "directory";
  name: string;
  path: string;
  score: number;
  /** Matched characters of `path`. */
  positions: number[];
}

export type ModelQuery = { hostId?: string; environmentId?: string; providerId?: string };
