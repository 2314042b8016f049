/** Where the window is served, with a slash at the end. Every path of the service lies below it. */
export const baseUrl: URL = new URL("./", document.baseURI);

/** A path of the service (`/api/v1/…`, also a record's `jsUrl` or `iconUrl`) as an absolute URL below the base path. */
export function url(path: string): string {
  return new URL(path.replace(/^\/+/, ""), baseUrl).href;
}

/** The base path as the router takes it, with a slash at the end: what is served without it is a proxy's to say. */
export function routerBasename(): string {
  return baseUrl.pathname;
}
