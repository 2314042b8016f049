/** The bytes of an upload, for the server entry and for the window. */

// Plugin code may replace globals; what the service relies on is taken before any of it runs.
const { ArrayBuffer, Uint8Array } = globalThis;
const { toString } = Object.prototype;

export interface ClientFile {
  bytes: Uint8Array<ArrayBuffer>;
  /** Of a File; a Blob and bytes have none. */
  name?: string;
  type?: string;
}

/** Throws what is wrong; `value` is the one that is refused. */
type Refuse = (what: string, value: unknown) => never;

interface FileLike {
  name?: unknown;
  type?: unknown;
  arrayBuffer(): Promise<ArrayBuffer>;
}

// Not `instanceof`: bytes may be of another realm.
const isBuffer = (value: unknown): value is ArrayBuffer => toString.call(value) === "[object ArrayBuffer]";
const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/** A Blob, a File or what looks like one, an ArrayBuffer or a view of one. */
export async function readClientFile(file: unknown, refuse: Refuse): Promise<ClientFile> {
  if (isBuffer(file)) {
    return { bytes: new Uint8Array(file) };
  }
  if (ArrayBuffer.isView(file)) {
    return { bytes: new Uint8Array(file.buffer as ArrayBuffer, file.byteOffset, file.byteLength) };
  }
  if (typeof file !== "object" || file === null || typeof (file as Partial<FileLike>).arrayBuffer !== "function") {
    refuse("clientFile must be a Blob, a File, an ArrayBuffer or a Uint8Array", file);
  }
  const { name, type } = file as FileLike;
  const buffer: unknown = await (file as FileLike).arrayBuffer();
  if (!isBuffer(buffer)) {
    refuse("clientFile.arrayBuffer() must give an ArrayBuffer", buffer);
  }
  const [fileName, fileType] = [textOf(name), textOf(type)];
  return {
    bytes: new Uint8Array(buffer as ArrayBuffer),
    ...(fileName === undefined ? {} : { name: fileName }),
    ...(fileType === undefined ? {} : { type: fileType }),
  };
}

/** `type/subtype`, which can stand in a header. */
export function isMediaType(text: string): boolean {
  return /^[\w.+-]+\/[\w.+-]+(;[\x20-\x7e]*)?$/.test(text);
}
