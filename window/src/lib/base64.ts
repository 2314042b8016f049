/** Characters that one call takes without filling the stack. */
const kAtOnce = 0x8000;

export function encodeBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += kAtOnce) {
    binary += String.fromCharCode(...bytes.subarray(at, at + kAtOnce));
  }
  return btoa(binary);
}

/** @throws DOMException for text that is no base64. */
export function decodeBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
