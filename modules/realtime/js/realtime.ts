import type { HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "../../plugins/js/plugin_api";
import { describeViolation, jsonTextOf } from "../../plugins/js/policy/strict_json";

// Plugin code may replace globals; what the service relies on is taken before any of it runs.
const { stringify } = JSON;
const { byteLength } = Buffer;

const kMember = "realtime.publish";
/** lim.signalPayload: UTF-8 bytes of one payload. */
const kSignalPayload = 1024 * 1024;
/** A UTF-16 unit is at most this many UTF-8 bytes, so short texts need no count. */
const kMaxBytesPerUnit = 3;

/** `svc.realtime`. The host gets the channel and the payload as two JSON texts on two lines and splices bytes. */
export default function realtimePart(runtime: HostRuntime, api: PluginApi): void {
  function payloadText(payload: unknown): string {
    if (payload === undefined) {
      return "null";
    }
    const text = jsonTextOf(payload);
    if (typeof text !== "string") {
      return api.fail(kMember, `the payload is not JSON: ${describeViolation("payload", text)}`);
    }
    if (text.length * kMaxBytesPerUnit > kSignalPayload) {
      const bytes = byteLength(text);
      if (bytes > kSignalPayload) {
        api.fail(
          kMember,
          `the payload has ${bytes} bytes as JSON, the limit signalPayload is ${kSignalPayload}; publish less and refetch over RPC`,
        );
      }
    }
    return text;
  }

  function publish(channel: unknown, payload?: unknown): void {
    if (typeof channel !== "string" || channel === "") {
      api.fail(kMember, "the channel must be a non-empty string");
    }
    // JSON text has no raw line break, so the first one separates the two.
    runtime.callSync("realtime.publish", `${stringify(channel)}\n${payloadText(payload)}`);
  }

  api.svc.realtime = { publish: api.guard(kMember, publish) };
}
