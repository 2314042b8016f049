/** By the ending of a name, those of `modules/common/src/media_type.cpp`. */
const kEndings: Readonly<Record<string, string>> = {
  "application/gzip": "gz",
  "application/json": "json map",
  "application/manifest+json": "webmanifest",
  "application/pdf": "pdf",
  "application/wasm": "wasm",
  "application/xml": "xml",
  "application/yaml": "yaml yml",
  "application/zip": "zip",
  "audio/flac": "flac",
  "audio/mp4": "m4a",
  "audio/mpeg": "mp3",
  "audio/ogg": "oga ogg",
  "audio/wav": "wav",
  "font/woff": "woff",
  "font/woff2": "woff2",
  "image/avif": "avif",
  "image/bmp": "bmp",
  "image/gif": "gif",
  "image/jpeg": "jpeg jpg",
  "image/png": "png",
  "image/svg+xml": "svg",
  "image/webp": "webp",
  "image/x-icon": "ico",
  "text/css": "css",
  "text/csv": "csv",
  "text/html": "htm html",
  "text/javascript": "js mjs",
  "text/markdown": "md",
  "text/plain": "c cpp go h ini java log py rs sh toml ts tsx txt",
  "video/mp4": "mp4",
  "video/quicktime": "mov",
  "video/webm": "webm",
};

const kTypes = new Map(Object.entries(kEndings).flatMap(([type, endings]) => endings.split(" ").map((ending) => [ending, type] as const)));

export function mediaTypeOf(name: string): string | undefined {
  return name.includes(".") ? kTypes.get(name.slice(name.lastIndexOf(".") + 1).toLowerCase()) : undefined;
}
