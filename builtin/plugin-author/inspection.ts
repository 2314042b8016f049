/** What the service itself says of a folder: the rules of an install. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Inspection {
  /** Null when the manifest does not say. */
  id: string | null;
  problems: string[];
  warnings: string[];
}

export async function inspect(root: string, signal: AbortSignal): Promise<Inspection> {
  const answer = await fetch(new URL("/api/v1/plugins/install/check", process.env.SVC_SERVER_URL), {
    method: "POST",
    headers: { "content-type": "application/json", ...accessHeader() },
    body: JSON.stringify({ source: root }),
    signal,
  });
  const body = (await answer.json()) as Inspection & { error?: { message: string } };
  if (!answer.ok) {
    throw new Error(`the service cannot check ${root}: ${body.error?.message ?? answer.statusText}`);
  }
  return body;
}

/** A server that is reached by another name than its own wants to see that this is a program of its user. */
function accessHeader(): Record<string, string> {
  try {
    const { accessToken } = JSON.parse(readFileSync(join(process.env.SVC_DATA_DIR ?? "", "server.json"), "utf8")) as {
      accessToken: string;
    };
    return { "x-svc-access-token": accessToken };
  } catch {
    return {};
  }
}
