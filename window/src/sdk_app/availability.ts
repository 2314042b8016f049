import { ApiError } from "@/lib/api_error";

/** Whether the service has no such route at all, in contrast to a record that does not exist. */
export function isMissingRoute(failure: unknown): boolean {
  if (!(failure instanceof ApiError)) {
    return false;
  }
  return failure.code === "not_supported" || failure.code === "unknown_route" || failure.status === 405;
}
