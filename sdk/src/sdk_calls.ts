// The shapes of the methods of `svc.sdk`.

/** What every call takes besides its own members. */
export interface SdkCallOptions {
  /** Abort: the call rejects with `AbortError`, and the service stops working on it where it can. */
  signal?: AbortSignal;
}

export type Call<Argument extends object, Result> = (argument: Argument & SdkCallOptions) => Promise<Result>;
export type OptionalCall<Argument extends object, Result> = (argument?: Argument & SdkCallOptions) => Promise<Result>;
/** A method of a later version: its members are not settled. */
export type LooseCall = (argument?: { [key: string]: unknown } & SdkCallOptions) => Promise<unknown>;
/** Named only: rejects with an `HttpError` of status 501 and code `not_supported`. */
export type NotSupported = (argument?: object) => Promise<never>;

export interface Page {
  /** Default and maximum: 100 and 1000. */
  limit?: number | string;
  offset?: number | string;
}
export interface OfThread {
  threadId: string;
}
