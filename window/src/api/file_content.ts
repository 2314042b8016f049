import { useQuery, type UseQueryResult } from "@tanstack/react-query";

import { baseUrl as windowUrl, url } from "@/lib/address";
import { ApiError } from "@/lib/api_error";

import { filePreviewQuery } from "./files";
import { queryClient, queryKeys } from "./queries";

/** Bytes of a text that are read: more would hold up the window. */
export const kTextShown = 512 * 1024;
/** Bytes in which a zero shows that a file is no text. */
const kSniffed = 8000;

export interface FileContent {
  /** Where the browser finds all of it, for a while. */
  url: string;
  sizeBytes: number;
  /** Its beginning, up to `kTextShown`; null when it is no text, or none was asked for. */
  text: string | null;
  /** Whether `text` is only its beginning. */
  isCut: boolean;
  /** Whether it has bytes that are no UTF-8, in whose place `text` has U+FFFD. */
  isBroken: boolean;
}

/** The service says the base path under which it was asked; other addresses of it are told below that. */
function absolute(path: string): string {
  const { href, pathname } = new URL(path, windowUrl);
  return pathname.startsWith(windowUrl.pathname) ? href : url(path);
}

/** Where the browser finds a file of a folder. */
export async function fileUrl(hostId: string, folder: string, name: string): Promise<string> {
  const { baseUrl } = await queryClient.fetchQuery(filePreviewQuery(hostId, folder));
  return `${absolute(baseUrl).replace(/\/+$/, "")}/${encodeURIComponent(name)}`;
}

async function refusalOf(response: Response): Promise<ApiError> {
  const status = response.status;
  const envelope = (await response.json().catch(() => null)) as { error?: { code?: unknown; message?: unknown } } | null;
  const { code, message } = envelope?.error ?? {};
  return new ApiError(typeof message === "string" ? message : `The service answered with HTTP status ${status}.`, {
    code: typeof code === "string" ? code : status === 404 ? "not_found" : "invalid_answer",
    status,
    requestId: response.headers.get("x-request-id") ?? "",
  });
}

/** At most `limit` bytes of the answer; what a service that knows no ranges sends beyond is not waited for. */
async function firstBytes(response: Response, limit: number): Promise<Uint8Array> {
  const reader = response.body?.getReader();
  const bytes = new Uint8Array(limit);
  let length = 0;
  for (;;) {
    const part = await reader?.read();
    if (part?.value === undefined || length === limit) {
      break;
    }
    const taken = part.value.subarray(0, limit - length);
    bytes.set(taken, length);
    length += taken.length;
  }
  await reader?.cancel();
  return bytes.subarray(0, length);
}

function sizeOf(response: Response, read: number): number {
  const total = /\/(\d+)$/.exec(response.headers.get("content-range") ?? "")?.[1];
  const length = response.status === 200 ? response.headers.get("content-length") : null;
  return Number(total ?? length ?? read);
}

function isUtf8(bytes: Uint8Array, isCut: boolean): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
    return true;
  } catch {
    return false;
  }
}

async function readStart(address: string, limit: number, signal: AbortSignal): Promise<FileContent> {
  const response = await fetch(address, { headers: { range: `bytes=0-${limit - 1}` }, signal });
  // Nothing is in the range of an empty file.
  if (response.status === 416) {
    return { url: address, sizeBytes: 0, text: "", isCut: false, isBroken: false };
  }
  if (!response.ok) {
    throw await refusalOf(response);
  }
  const bytes = await firstBytes(response, limit);
  const sizeBytes = sizeOf(response, bytes.length);
  const isText = !bytes.subarray(0, kSniffed).includes(0);
  const isCut = sizeBytes > bytes.length;
  // A cut may go through a character: what is left of it is not shown.
  const text = isText ? new TextDecoder().decode(bytes, { stream: isCut }) : null;
  return { url: address, sizeBytes, text, isCut, isBroken: text !== null && text.includes("\ufffd") && !isUtf8(bytes, isCut) };
}

async function readFile(hostId: string, folder: string, name: string, limit: number, signal: AbortSignal): Promise<FileContent> {
  try {
    return await readStart(await fileUrl(hostId, folder, name), limit, signal);
  } catch (failure) {
    if (!(failure instanceof ApiError) || failure.status !== 404) {
      throw failure;
    }
    // The address may be over: a server that was restarted knows none of the old ones.
    queryClient.removeQueries({ queryKey: queryKeys.filePreview(hostId, folder), exact: true });
    return readStart(await fileUrl(hostId, folder, name), limit, signal);
  }
}

/** A file of a folder; without `isText` only its size and where it is. */
export function useFileContent(hostId: string, folder: string, name: string, isText: boolean): UseQueryResult<FileContent> {
  return useQuery({
    queryKey: [...queryKeys.filePreview(hostId, folder), name, isText],
    queryFn: ({ signal }) => readFile(hostId, folder, name, isText ? kTextShown : 1, signal),
    staleTime: 0,
  });
}
