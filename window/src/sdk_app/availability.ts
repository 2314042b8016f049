import { ApiError } from "../api/http";

/** Whether the service has no such route at all, in contrast to a record that does not exist. */
export function isMissingRoute(failure: unknown): boolean {
  if (!(failure instanceof ApiError)) {
    return false;
  }
  const { code, status, message } = failure;
  // What the router says when no module serves a path or a method of it.
  const isUnknown = status === 404 && code === "not_found" && /^unknown route: | does not take /.test(message);
  return code === "not_supported" || isUnknown || status === 405;
}
