/**
 * A request as `fetch` makes it that tells how much of its body has been sent, which `fetch` does not.
 *
 * @throws TypeError when there is no answer; an `AbortError` when `signal` aborts.
 */
export function sendFollowed(target: URL, init: RequestInit, onProgress: (part: number) => void, signal: AbortSignal): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(init.method ?? "GET", target.href);
    for (const [name, value] of new Headers(init.headers)) {
      request.setRequestHeader(name, value);
    }
    request.upload.onprogress = ({ loaded, total }) => total > 0 && onProgress(loaded / total);
    request.onload = () => {
      const headers = new Headers();
      const requestId = request.getResponseHeader("x-request-id");
      if (requestId !== null) {
        headers.set("x-request-id", requestId);
      }
      resolve(new Response(request.responseText, { status: request.status, headers }));
    };
    request.onerror = () => reject(new TypeError("there was no answer"));
    request.onabort = () => reject(new DOMException("The request was given up.", "AbortError"));
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(init.body as XMLHttpRequestBodyInit);
  });
}
