import type { Rgba } from "./contrast";

let probe: HTMLElement | undefined;
let canvas: CanvasRenderingContext2D | null | undefined;

/** An opaque colour token, named without `--`, as the browser resolves it whatever its notation; undefined when there is none. */
export function readToken(token: string): Rgba | undefined {
  if (probe === undefined || !probe.isConnected) {
    probe = document.createElement("span");
    probe.hidden = true;
    document.body.append(probe);
  }
  if (canvas === undefined) {
    const element = document.createElement("canvas");
    element.width = element.height = 1;
    canvas = element.getContext("2d", { willReadFrequently: true });
  }
  if (canvas === null) {
    return undefined;
  }
  probe.style.color = "";
  probe.style.color = `var(--${token})`;
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = getComputedStyle(probe).color;
  canvas.fillRect(0, 0, 1, 1);
  const [r = 0, g = 0, b = 0, a = 0] = canvas.getImageData(0, 0, 1, 1).data;
  return a < 255 ? undefined : [r / 255, g / 255, b / 255, 1];
}

/** The same as `#rrggbb`. */
export function readTokenHex(token: string): string | undefined {
  const colour = readToken(token);
  const channel = (value: number) =>
    Math.round(value * 255)
      .toString(16)
      .padStart(2, "0");
  return colour === undefined ? undefined : `#${colour.slice(0, 3).map(channel).join("")}`;
}
