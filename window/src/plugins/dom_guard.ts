import { pluginOfStack } from "./attribution";

/** `L:dom-warnings` — refusals that are logged, per plugin and window; the rest is counted. */
export const kDomWarnings = 3;

export interface DomGuardDeps {
  /** The plugin whose code called the DOM method, judged by the frame right above it; null for the window and libraries. */
  callerPlugin(): string | null;
  warn(message: string, node: Node): void;
}

// Above the caller are the patched method, the guard's judgement and `callerFromStack`.
const kFramesAboveCaller = 3;

/** Only the direct caller counts: React removes nodes on behalf of plugin code too, and that has to go on. */
function callerFromStack(): string | null {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = kFramesAboveCaller + 3;
  const frames = (new Error().stack ?? "").split("\n").filter((line) => /:\d+:\d+\)?$/.test(line));
  Error.stackTraceLimit = stackTraceLimit;
  return pluginOfStack(frames[kFramesAboveCaller]);
}

const kDefaults: DomGuardDeps = {
  callerPlugin: callerFromStack,
  warn: (message, node) => console.warn(message, node),
};

/** Of index.html: what React renders the window into. */
const kWindowRootId = "root";

interface Fiber {
  readonly return?: Fiber | null;
  readonly stateNode?: { readonly containerInfo?: Node } | null;
}

/** Whether React rendered it for somebody else than the window: a script may have a root of its own, and takes it away again. */
function isOfOtherRoot(fiber: Fiber): boolean {
  let top = fiber;
  while (top.return) {
    top = top.return;
  }
  const container = top.stateNode?.containerInfo;
  return container !== undefined && !isWindowRoot(container);
}

function isWindowRoot(node: Node): boolean {
  return node instanceof Element && node.id === kWindowRootId;
}

/** Whether React renders the node as a part of the window. It marks the nodes of its trees, and their containers, with keys of its own. */
export function isReactOwned(node: Node): boolean {
  const key = Object.keys(node).find((name) => name.startsWith("__reactFiber$"));
  return key === undefined ? isWindowRoot(node) : !isOfOtherRoot((node as unknown as Record<string, Fiber>)[key]!);
}

type Method = (this: Node, ...given: never[]) => unknown;

/**
 * Keeps content scripts from breaking React's commits while any of them runs: their calls cannot take a node that React owns out
 * of its parent, and an insertion or removal whose parent does not match is ignored instead of thrown, whoever asks for it.
 *
 * Whose call it is says the stack, so listeners, timers and observers of a script are covered like its mount, and the window's
 * own rendering is not.
 */
export class DomGuard {
  readonly #deps: DomGuardDeps;
  readonly #guarded = new Map<string, number>();
  readonly #refusals = new Map<string, number>();
  #restore: (() => void)[] = [];

  constructor(deps: DomGuardDeps = kDefaults) {
    this.#deps = deps;
  }

  /** Guards against the plugin's scripts until the returned function is called. */
  guard(pluginId: string): () => void {
    this.#guarded.set(pluginId, (this.#guarded.get(pluginId) ?? 0) + 1);
    if (this.#restore.length === 0) {
      this.#install();
    }
    let isOver = false;
    return () => {
      if (!isOver) {
        isOver = true;
        this.#leave(pluginId);
      }
    };
  }

  /** Calls of a plugin that were refused so far. */
  refusals(pluginId: string): number {
    return this.#refusals.get(pluginId) ?? 0;
  }

  #leave(pluginId: string): void {
    const left = this.#guarded.get(pluginId)! - 1;
    if (left > 0) {
      this.#guarded.set(pluginId, left);
      return;
    }
    this.#guarded.delete(pluginId);
    if (this.#guarded.size === 0) {
      this.#restore.forEach((restore) => restore());
      this.#restore = [];
    }
  }

  /** Whether a call that takes `nodes` out of their parents has to be ignored. */
  #refuses(name: string, nodes: readonly unknown[]): boolean {
    const owned = nodes.find((node): node is Node => node instanceof Node && node.parentNode !== null && isReactOwned(node));
    if (owned === undefined) {
      return false;
    }
    const pluginId = this.#deps.callerPlugin();
    if (pluginId === null || !this.#guarded.has(pluginId)) {
      return false;
    }
    this.#count(pluginId, `${name} on a node that the window renders`, owned);
    return true;
  }

  #count(pluginId: string, what: string, node: Node): void {
    const count = this.refusals(pluginId) + 1;
    this.#refusals.set(pluginId, count);
    if (count <= kDomWarnings) {
      const last = count === kDomWarnings ? "; further ones are only counted" : "";
      this.#deps.warn(`${pluginId}: a content script called ${what}, which was ignored${last}`, node);
    }
  }

  /** A foreign mutation moved a node away before its parent was told; React is spared the exception. */
  #mismatch(name: string, node: Node): void {
    this.#count(this.#deps.callerPlugin() ?? "window", `${name} on a node of another parent`, node);
  }

  #install(): void {
    this.#wrapNode();
    for (const type of [Element, CharacterData, DocumentType]) {
      this.#wrap(type.prototype, "remove", (node) => [node]);
      this.#wrap(type.prototype, "replaceWith", (node, given) => [node, ...given]);
      this.#wrap(type.prototype, "before", (_node, given) => given);
      this.#wrap(type.prototype, "after", (_node, given) => given);
    }
    for (const type of [Element, Document, DocumentFragment]) {
      this.#wrap(type.prototype, "append", (_node, given) => given);
      this.#wrap(type.prototype, "prepend", (_node, given) => given);
      this.#wrap(type.prototype, "replaceChildren", (node, given) => [...node.childNodes, ...given]);
    }
    this.#wrap(Element.prototype, "insertAdjacentElement", (_node, given) => given);
    for (const type of [Node, Element]) {
      // Browsers have it on the first, others on the second.
      this.#wrapSetter(type.prototype, "textContent", (node) => (node instanceof Element ? [...node.childNodes] : []));
    }
    this.#wrapSetter(Element.prototype, "innerHTML", (node) => [...node.childNodes]);
    this.#wrapSetter(Element.prototype, "outerHTML", (node) => [node]);
  }

  #wrapNode(): void {
    const { insertBefore, removeChild, replaceChild } = Node.prototype;
    this.#wrap(Node.prototype, "appendChild", (_node, given) => given);
    this.#patch(
      Node.prototype,
      "removeChild",
      (guard) =>
        function (this: Node, child: Node) {
          if (child instanceof Node && child.parentNode !== this) {
            guard.#mismatch("removeChild", child);
            return child;
          }
          return guard.#refuses("removeChild", [child]) ? child : removeChild.call(this, child);
        },
    );
    this.#patch(
      Node.prototype,
      "insertBefore",
      (guard) =>
        function (this: Node, node: Node, before: Node | null) {
          if (before instanceof Node && before.parentNode !== this) {
            guard.#mismatch("insertBefore", before);
            return node;
          }
          return guard.#refuses("insertBefore", [node]) ? node : insertBefore.call(this, node, before);
        },
    );
    this.#patch(
      Node.prototype,
      "replaceChild",
      (guard) =>
        function (this: Node, node: Node, child: Node) {
          if (child instanceof Node && child.parentNode !== this) {
            guard.#mismatch("replaceChild", child);
            return child;
          }
          return guard.#refuses("replaceChild", [child, node]) ? child : replaceChild.call(this, node, child);
        },
    );
  }

  #wrap(prototype: object, name: string, taken: (node: Node, given: readonly unknown[]) => readonly unknown[]): void {
    const original = (prototype as Record<string, Method | undefined>)[name];
    if (original !== undefined) {
      this.#patch(
        prototype,
        name,
        (guard) =>
          function (this: Node, ...given: never[]) {
            return guard.#refuses(name, taken(this, given)) ? given[0] : original.apply(this, given);
          },
      );
    }
  }

  #wrapSetter(prototype: object, name: string, taken: (node: Node) => readonly unknown[]): void {
    const property = Object.getOwnPropertyDescriptor(prototype, name);
    const { set } = property ?? {};
    if (property === undefined || set === undefined) {
      return;
    }
    const guard = this;
    Object.defineProperty(prototype, name, {
      ...property,
      set(this: Node, value: unknown) {
        if (!guard.#refuses(`the setter of ${name}`, taken(this))) {
          set.call(this, value);
        }
      },
    });
    this.#restore.push(() => Object.defineProperty(prototype, name, property));
  }

  #patch(prototype: object, name: string, make: (guard: DomGuard) => (this: Node, ...given: never[]) => unknown): void {
    const property = Object.getOwnPropertyDescriptor(prototype, name);
    if (property !== undefined) {
      Object.defineProperty(prototype, name, { ...property, value: make(this) });
      this.#restore.push(() => Object.defineProperty(prototype, name, property));
    }
  }
}

export const domGuard = new DomGuard();
