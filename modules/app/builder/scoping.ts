import { type CssNode, hasOutside, splitSelectors } from "./css_tree";
import { BuildError } from "./messages";

/** What the window's wrapper of a mount, and portals of plugins, match. It has no specificity. */
export const scopeOf = (pluginId: string): string =>
  `:where([data-svc-plugin="${pluginId}"], [data-svc-plugin-root]:not([data-svc-plugin]))`;

type Block = Extract<CssNode, { kind: "block" }>;

const isAtRule = (node: Block): boolean => node.prelude.startsWith("@");

/** An+B of :nth-child() has plus signs that are no combinators. */
const withoutFormulas = (selector: string): string => selector.replace(/:nth-(?:last-)?(?:child|of-type|col)\([^()]*?(?=\sof\s|\))/g, "");

/** True when the rule, or one inside it, looks at siblings. */
function looksAtSiblings(node: Block): boolean {
  return (
    (!isAtRule(node) && hasOutside(withoutFormulas(node.prelude), "+~")) ||
    node.nodes.some((inner) => inner.kind === "block" && looksAtSiblings(inner))
  );
}

function scopeRule(rule: Block, scope: string): Block {
  const descendant = splitSelectors(rule.prelude).map((selector) => `${scope} ${selector}`);
  if (looksAtSiblings(rule)) {
    return { ...rule, prelude: descendant.join(", ") };
  }
  // Utilities begin with a class, so the scope can stand in front in the same compound.
  const same = splitSelectors(rule.prelude).map((selector) => `${scope}${selector}`);
  return { ...rule, prelude: [...descendant, ...same].join(", ") };
}

function scopeNodes(nodes: readonly CssNode[], scope: string): CssNode[] {
  return nodes.map((node) => {
    if (node.kind === "text") {
      return node;
    }
    return isAtRule(node) ? { ...node, nodes: scopeNodes(node.nodes, scope) } : scopeRule(node, scope);
  });
}

const isTheme = (node: CssNode): node is Block => node.kind === "block" && /^@layer\s+theme$/.test(node.prelude);
const isRoot = (node: CssNode): node is Block => node.kind === "block" && /^:root\b/.test(node.prelude);

/** The custom properties that declarations set, with their values in one line. */
export function customProperties(nodes: readonly CssNode[]): Map<string, string> {
  const out = new Map<string, string>();
  for (const node of nodes) {
    if (node.kind === "block") {
      customProperties(node.nodes).forEach((value, name) => out.set(name, value));
      continue;
    }
    const [, name, value] = /^(?:\/\*[^]*?\*\/\s*)*(--[\w-]+)\s*:([^]*)$/.exec(node.text) ?? [];
    if (name !== undefined && value !== undefined) {
      out.set(name, value.replace(/\s+/g, " ").trim());
    }
  }
  return out;
}

/**
 * What a plugin sets in `@theme` is there for its own parts: two plugins may mean different things by one name. What it gives another value
 * than Tailwind (`defaults`) would reach the window, too, so the root does not have it. Names that the author's own rules set as well, such as for the
 * dark mode (`authored`), are as wide as those.
 */
export function scopeTheme(
  nodes: readonly CssNode[],
  pluginId: string,
  defaults: ReadonlyMap<string, string>,
  authored: ReadonlySet<string>,
): CssNode[] {
  const scopeRoot = (root: Block): Block[] => {
    const set = [...customProperties(root.nodes)];
    const texts = (chosen: [string, string][]) => chosen.map(([name, value]) => ({ kind: "text" as const, text: `${name}: ${value}` }));
    const own = set.filter(([name, value]) => !authored.has(name) && defaults.get(name) !== value);
    const wide = set.filter(([name, value]) => authored.has(name) || (defaults.get(name) ?? value) === value);
    return [
      ...(wide.length > 0 ? [{ ...root, nodes: texts(wide) }] : []),
      ...(own.length > 0 ? [{ ...root, prelude: scopeOf(pluginId), nodes: texts(own) }] : []),
    ];
  };
  return nodes.map((node) =>
    isTheme(node) ? { ...node, nodes: node.nodes.flatMap((rule): CssNode[] => (isRoot(rule) ? scopeRoot(rule) : [rule])) } : node,
  );
}

function refuseClasses(node: CssNode): void {
  if (node.kind === "text") {
    return;
  }
  if (isAtRule(node)) {
    if (!/^@(-\w+-)?keyframes\b/.test(node.prelude)) {
      node.nodes.forEach(refuseClasses);
    }
  } else if (hasOutside(node.prelude, ".")) {
    throw new BuildError(`the class rule "${node.prelude}" is outside the utilities layer, where it cannot be scoped`);
  }
}

/** Scopes the rules of the utilities layer; a class rule anywhere else is an error. */
export function scopeUtilities(nodes: readonly CssNode[], pluginId: string): { nodes: CssNode[]; rules: number } {
  let rules = 0;
  const out = nodes.map((node) => {
    if (node.kind === "block" && /^@layer\s+utilities$/.test(node.prelude)) {
      rules += node.nodes.length;
      return { ...node, nodes: scopeNodes(node.nodes, scopeOf(pluginId)) };
    }
    refuseClasses(node);
    return node;
  });
  return { nodes: out, rules };
}
