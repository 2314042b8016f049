import { describe, expect, it, vi } from "vitest";

import { createInputQueue } from "@/terminals/input_queue";

const text = (base64: string) => new TextDecoder().decode(Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0)));

function queue({ isFailing = false, isHeld = false } = {}) {
  const sent: string[] = [];
  const waiting: (() => void)[] = [];
  const onFailure = vi.fn();
  const input = createInputQueue("t", {
    onSent: () => undefined,
    onFailure,
    isHeld,
    send: (_id, data) =>
      new Promise((resolve, reject) => {
        sent.push(text(data));
        waiting.push(() => (isFailing ? reject(new Error("away")) : resolve()));
      }),
  });
  const answer = async () => {
    waiting.shift()!();
    await new Promise((later) => setTimeout(later));
  };
  return { input, sent, answer, onFailure };
}

describe("createInputQueue", () => {
  it("sends one message at a time, in order, and joins what is typed meanwhile", async () => {
    const { input, sent, answer } = queue();
    input.push("l");
    input.push("s");
    input.push(" ä\r");
    expect(sent).toEqual(["l"]);
    await answer();
    expect(sent).toEqual(["l", "s ä\r"]);
    await answer();
    input.push(new Uint8Array([0x71]));
    expect(sent.at(-1)).toBe("q");
  });

  it("splits what is pasted", async () => {
    const { input, sent, answer } = queue();
    input.push("x".repeat(80_000));
    await answer();
    await answer();
    expect(sent.map(({ length }) => length)).toEqual([32_768, 32_768, 14_464]);
  });

  it("drops what waits when a message does not arrive", async () => {
    const { input, sent, answer, onFailure } = queue({ isFailing: true });
    input.push("rm -r ");
    input.push("x\r");
    await answer();
    expect(sent).toEqual(["rm -r "]);
    expect(onFailure).toHaveBeenCalledOnce();
  });

  it("holds what is typed until it is released", async () => {
    const { input, sent, answer } = queue({ isHeld: true });
    input.push("gone");
    input.drop();
    input.push("l");
    input.push("s");
    expect(sent).toEqual([]);
    input.release();
    expect(sent).toEqual(["ls"]);
    input.push("\r");
    input.drop();
    await answer();
    expect(sent).toEqual(["ls", "\r"]);
  });

  it("refuses what is too much for a terminal as a whole", () => {
    const { input, sent, onFailure } = queue();
    input.push("x".repeat(2_000_000));
    expect(sent).toEqual([]);
    expect((onFailure.mock.calls[0]![0] as Error).message).toMatch(/^A terminal takes 1\.0 MiB at once/);
  });
});
