/** What is wrong with one value of a request. */
export interface ApiIssue {
  readonly message: string;
  readonly path?: readonly (string | number)[];
}

/**
 * Why a request failed. `code` is the service's; the window's own codes, all with status 0, are `network_error` (nothing
 * answered), `timeout` and `invalid_answer` (something else than the service answered, with its status).
 */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  /** `x-request-id` of the answer, empty when there was none: what to look for in the server's log. */
  readonly requestId: string;
  readonly issues?: readonly ApiIssue[];
  readonly details?: unknown;

  constructor(
    message: string,
    {
      code,
      status,
      requestId = "",
      issues,
      details,
      cause,
    }: {
      code: string;
      status: number;
      requestId?: string;
      issues?: readonly ApiIssue[] | undefined;
      details?: unknown;
      cause?: unknown;
    },
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ApiError";
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    if (issues !== undefined) {
      this.issues = issues;
    }
    if (details !== undefined) {
      this.details = details;
    }
  }
}
