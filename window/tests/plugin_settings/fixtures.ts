import { ApiError } from "@/lib/api_error";

/** What the server answers for a value that its check refuses. */
export function invalidInput(key: string, message: string): ApiError {
  return new ApiError(`the settings are not valid: ${key}: ${message}`, {
    code: "invalid_input",
    status: 400,
    issues: [{ path: ["values", key], message }],
  });
}

export function networkError(): ApiError {
  return new ApiError("The service cannot be reached.", { code: "network_error", status: 0 });
}
