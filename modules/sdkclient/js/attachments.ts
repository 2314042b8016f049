/** `svc.sdk.projects.attachments.upload` and `.read`: the only methods whose bodies are bytes. */
import type { PluginApi } from "../../plugins/js/plugin_api";
import { kindOf } from "../../plugins/js/policy/arguments";
import { encoded, readArgument, type SdkRequest } from "./call";
import { isMediaType, readClientFile } from "./client_file";

// Plugin code may replace globals; what the service relies on is taken before any of it runs.
const { Buffer } = globalThis;

const kUpload = "projects.attachments.upload";
const kRead = "projects.attachments.read";

export interface BytesCall {
  path: string;
  argument: unknown;
  request: SdkRequest;
  result: string | undefined;
}

/** The two calls, checked and ready to be sent. */
export function attachmentCalls(api: PluginApi): Record<string, (argument: unknown) => Promise<BytesCall>> {
  const routeOf = (projectId: unknown, path: string): string => {
    if (typeof projectId !== "string" || projectId === "") {
      api.fail(`sdk.${path}`, `"projectId" must be non-empty text, is ${kindOf(projectId)}`);
    }
    return `/api/v1/projects/${encoded(path, "projectId", projectId as string)}/attachments`;
  };
  const optionalText = (value: unknown, name: string): string | undefined => {
    if (value !== undefined && typeof value !== "string") {
      api.fail(`sdk.${kUpload}`, `${name} must be text, is ${kindOf(value)}`);
    }
    return value;
  };

  return {
    [kUpload]: async (argument) => {
      const { members, signal } = readArgument(api, kUpload, argument, ["projectId", "clientFile"]);
      const route = routeOf(members.projectId, kUpload);
      const filename = optionalText(members.filename, "filename");
      const mimeType = optionalText(members.mimeType, "mimeType");
      const file = await readClientFile(members.clientFile, (what, value) => api.fail(`sdk.${kUpload}`, `${what}, is ${kindOf(value)}`));
      const name = filename ?? file.name;
      const type = mimeType ?? file.type ?? "";
      const { buffer, byteOffset, byteLength } = file.bytes;
      return {
        path: kUpload,
        argument,
        request: {
          verb: "POST",
          target: name === undefined ? route : `${route}?filename=${encoded(kUpload, "filename", name)}`,
          body: Buffer.from(buffer, byteOffset, byteLength).toString("base64"),
          bytesType: isMediaType(type) ? type : "application/octet-stream",
          signal,
        },
        result: "attachment",
      };
    },
    [kRead]: async (argument) => {
      const { members, signal } = readArgument(api, kRead, argument, ["projectId", "path"]);
      const route = routeOf(members.projectId, kRead);
      if (typeof members.path !== "string") {
        api.fail(`sdk.${kRead}`, `path must be text, is ${kindOf(members.path)}`);
      }
      const target = `${route}/content?path=${encoded(kRead, "path", members.path as string)}`;
      return { path: kRead, argument, request: { verb: "GET", target, body: "", signal }, result: undefined };
    },
  };
}
