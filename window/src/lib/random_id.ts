/** 128 random bits as text. Browsers have `crypto.randomUUID` on https and on this computer only. */
export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
