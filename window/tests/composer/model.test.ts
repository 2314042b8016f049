import { describe, expect, it, vi } from "vitest";

import { ComposerModel, type ComposerSubmit } from "@/composer/model";

const kScope = { kind: "new-thread", projectId: null } as const;
const kAda = { provider: "people", id: "1", label: "Ada" };

function model(text = "", submit: ComposerSubmit = async () => undefined) {
  return new ComposerModel({ key: "k", scope: kScope, draft: { text, mentions: [], attachments: [] }, submit });
}
/** As `Promise.withResolvers`, which is not everywhere yet. */
function withResolvers() {
  let resolve!: () => void;
  let reject!: (failure: Error) => void;
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
const owner = (pluginId: string) => ({ pluginId, name: `The ${pluginId}` });
const caretAt = (at: number) => ({ start: at, end: at });

describe("the draft", () => {
  it("inserts a mention at the caret with a space behind it", () => {
    const composer = model("Ask about");
    composer.select(caretAt(4));
    composer.insertMention(kAda);
    expect(composer.state.text).toBe("Ask @Ada about");
    expect(composer.state.mentions).toEqual([{ ...kAda, start: 4, end: 8 }]);
    expect(composer.state.selection).toEqual(caretAt(9));
  });

  it("moves mentions with what is typed before them and drops those that are changed", () => {
    const composer = model();
    composer.replace(
      ["Ask ", kAda, " and ", { ...kAda, id: "2", label: "Bob" }].map((part) =>
        typeof part === "string" ? { type: "text" as const, text: part } : { type: "mention" as const, ...part },
      ),
    );
    expect(composer.state.text).toBe("Ask @Ada and @Bob");
    composer.typed("Please ask @Ada and @Bob", caretAt(8));
    expect(composer.state.mentions.map(({ start, end }) => composer.state.text.slice(start, end))).toEqual(["@Ada", "@Bob"]);
    composer.typed("Please ask @Aa and @Bob", caretAt(13));
    expect(composer.state.mentions).toMatchObject([{ label: "Bob", start: 19, end: 23 }]);
  });

  it("keeps mentions outside of what setText changes", () => {
    const composer = model();
    composer.replace([{ type: "mention", ...kAda }]);
    composer.setText("@Ada please");
    expect(composer.state.mentions).toHaveLength(1);
    composer.setText("");
    expect(composer.state.mentions).toEqual([]);
  });

  it("puts text at the caret, the start, the end or on lines of its own", () => {
    const composer = model("ab");
    composer.select(caretAt(1));
    composer.insert("-");
    composer.insert("<", { at: "start" });
    composer.insert(">", { at: "end" });
    expect(composer.state.text).toBe("<a-b>");
    composer.select({ start: 2, end: 3 });
    composer.insert("own", { block: true });
    expect(composer.state.text).toBe("<a\nown\nb>");
  });

  it("adds a quote on lines of its own", () => {
    const composer = model("Well");
    composer.addQuote("one\ntwo");
    expect(composer.state.text).toBe("Well\n> one\n> two\n\n");
    for (const blank of ["", "  ", "\n\n"]) {
      composer.addQuote(blank);
    }
    expect(composer.state.text).toBe("Well\n> one\n> two\n\n");
    composer.replace([
      { type: "text", text: "as " },
      { type: "quote", text: "said" },
    ]);
    expect(composer.state.text).toBe("as \n> said\n\n");
  });

  it("tells the editor where the caret goes when a plugin writes", () => {
    const composer = model("");
    const select = vi.fn();
    const detach = composer.attach({ focus: vi.fn(), select });
    composer.setText("hello");
    expect(select).toHaveBeenLastCalledWith(caretAt(5));
    detach();
    composer.setText("more");
    expect(select).toHaveBeenCalledOnce();
  });

  it("survives selections that are out of range", () => {
    const composer = model("abc");
    composer.select({ start: 50, end: 60 });
    composer.insert("!");
    expect(composer.state.text).toBe("abc!");
  });
});

describe("locks and effects", () => {
  it("belong to their owner and end with it", () => {
    const composer = model("text");
    const [a, b] = [owner("a"), owner("b")];
    composer.setLock(a, true);
    composer.setLock(b, true);
    composer.setEffect(a, { className: "wavy" });
    composer.setEffect(a, { className: "bold" });
    expect(composer.state.effects).toEqual([{ owner: a, className: "bold" }]);
    composer.setLock(b, false);
    expect(composer.blockedReason).toBe("The a has locked the input");
    composer.release(a);
    expect(composer.state).toMatchObject({ locks: [], effects: [] });
    expect(composer.blockedReason).toBeNull();
  });
});

describe("submit", () => {
  it("sends the draft with what plugins added, clears it and tells listeners", async () => {
    const send = vi.fn(async () => undefined);
    const composer = model("do it", send);
    const listener = vi.fn();
    const remove = composer.onSubmitted(listener);
    composer.setPluginInput("a", { mode: 1 });
    composer.setPluginInput("b", 2);
    composer.setPluginInput("b", null);
    expect(await composer.submit()).toBe(true);
    expect(send).toHaveBeenCalledWith({ text: "do it", mentions: [], attachments: [], pluginInput: { a: { mode: 1 } } });
    expect(composer.state).toMatchObject({ text: "", pluginInput: {}, isSubmitting: false });
    expect(listener).toHaveBeenCalledOnce();
    remove();
    composer.setText("again");
    await composer.submit();
    expect(listener).toHaveBeenCalledOnce();
  });

  it.each(["", "  \n "])("sends nothing for the empty draft %j", async (text) => {
    const send = vi.fn(async () => undefined);
    expect(await model(text, send).submit()).toBe(false);
    expect(send).not.toHaveBeenCalled();
  });

  it("keeps the draft and says why it failed; writing on ends the message", async () => {
    const composer = model("do it", async () => {
      throw new Error("no agents here");
    });
    expect(await composer.submit()).toBe(false);
    expect(composer.state).toMatchObject({ text: "do it", failure: "no agents here", isSubmitting: false });
    composer.typed("do it!", caretAt(6));
    expect(composer.state.failure).toBeNull();
  });

  it("sends once while a message is on its way", async () => {
    const ended = withResolvers();
    const send = vi.fn(() => ended.promise);
    const composer = model("do it", send);
    const first = composer.submit();
    expect(await composer.submit()).toBe(false);
    ended.resolve();
    expect(await first).toBe(true);
    expect(send).toHaveBeenCalledOnce();
  });

  it("waits for what holds it, and stays when that fails", async () => {
    const send = vi.fn(async () => undefined);
    const composer = model("do it", send);
    const hold = withResolvers();
    const sent = composer.submit({ holdUntil: hold.promise });
    expect(composer.state.isSubmitting).toBe(true);
    expect(send).not.toHaveBeenCalled();
    hold.reject(new Error("upload failed"));
    expect(await sent).toBe(false);
    expect(composer.state).toMatchObject({ text: "do it", failure: "upload failed" });
  });

  it("does not send while a plugin holds a lock", async () => {
    const send = vi.fn(async () => undefined);
    const composer = model("do it", send);
    composer.setLock(owner("a"), true);
    expect(await composer.submit()).toBe(false);
    expect(send).not.toHaveBeenCalled();
  });

  it("tells nobody when a plugin sets what is set already", () => {
    const composer = model("do it");
    const one = owner("a");
    composer.setLock(one, true);
    composer.setEffect(one, { className: "glow" });
    composer.setPluginInput("a", { deep: [1] });
    const listener = vi.fn();
    composer.subscribe(listener);
    composer.setLock(one, true);
    composer.setLock(owner("b"), false);
    composer.setEffect(one, { className: "glow" });
    composer.setEffect(owner("b"), null);
    composer.setPluginInput("a", { deep: [1] });
    composer.setPluginInput("b", null);
    expect(listener).not.toHaveBeenCalled();
    composer.setEffect(one, { className: "dim" });
    composer.setPluginInput("a", null);
    expect(listener).toHaveBeenCalledTimes(2);
    expect(composer.state).toMatchObject({ locks: [one], effects: [{ owner: one, className: "dim" }], pluginInput: {} });
  });

  it("keeps other listeners from a listener that throws", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const composer = model("do it");
    const second = vi.fn();
    composer.onSubmitted(() => {
      throw new Error("mine");
    });
    composer.onSubmitted(second);
    expect(await composer.submit()).toBe(true);
    expect(second).toHaveBeenCalledOnce();
  });
});
