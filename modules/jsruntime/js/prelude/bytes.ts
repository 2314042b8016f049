/** `bytes()` of Blob, Request and Response, which Node has since 22.3: the body as a Uint8Array. */
import { addMissing } from "./define.js";

interface Body {
  arrayBuffer(): Promise<ArrayBuffer>;
}

export function addBytes(...classes: { prototype: object }[]): void {
  for (const { prototype } of classes) {
    addMissing(prototype, {
      async bytes(this: Body) {
        return new Uint8Array(await this.arrayBuffer());
      },
    });
  }
}
