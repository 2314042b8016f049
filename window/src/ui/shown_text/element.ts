import { createElement, type ElementType, type Key, type ReactElement } from "react";

import { characterName, hiddenParts, shownText, type TextPart } from "@/lib/shown_text";

type Props = Record<string, unknown>;

/** What a hidden character is drawn as; `styles/index.css` has its look. It stays in the text: what is selected and copied is what was written. */
export const kHiddenCharacter = "data-svc-hidden-character";

/** Elements that hold text alone. */
const kTextOnly = new Set(["option", "title", "text", "tspan", "textPath", "desc"]);
/** Elements whose text is no text to read. */
const kCode = new Set(["style", "script", "textarea"]);
/** Attributes that are read by people; those of components are values that they hand on. */
const kShownAttributes = ["title", "alt", "placeholder", "label"];

function partElement({ text, isHidden }: TextPart, index: number) {
  return isHidden
    ? createElement("span", { key: index, [kHiddenCharacter]: characterName(text) }, createElement("span", null, text))
    : text;
}

/** One element for the whole text: where its parent lays out its children one by one, it stays one. */
function shownChild(text: string, key: Key | undefined) {
  const parts = hiddenParts(text);
  return parts === null ? text : createElement("span", key === undefined ? null : { key }, ...parts.map(partElement));
}

function shownChildren(children: unknown): unknown {
  if (typeof children === "string") {
    return shownChild(children, undefined);
  }
  if (!Array.isArray(children)) {
    return children;
  }
  let changed: unknown[] | null = null;
  children.forEach((child: unknown, index) => {
    const shown = typeof child === "string" ? shownChild(child, `text ${index}`) : Array.isArray(child) ? shownChildren(child) : child;
    if (shown !== child) {
      changed ??= [...(children as unknown[])];
      changed[index] = shown;
    }
  });
  return changed ?? children;
}

function shownTextOnly(children: unknown): unknown {
  return typeof children === "string" ? shownText(children) : Array.isArray(children) ? children.map(shownTextOnly) : children;
}

function changedAttributes(type: ElementType, props: Props): Props {
  const changed: Props = {};
  for (const name in props) {
    const value = props[name];
    if (typeof value !== "string" || !(name.startsWith("aria-") || (typeof type === "string" && kShownAttributes.includes(name)))) {
      continue;
    }
    const shown = shownText(value);
    if (shown !== value) {
      changed[name] = shown;
    }
  }
  return changed;
}

/** The props of an element whose texts show each hidden character. The same object for nearly all. */
export function shownProps(type: ElementType, props: Props): Props {
  if (typeof type === "string" && kCode.has(type)) {
    return props;
  }
  const { children } = props;
  const shown = (typeof type === "string" && kTextOnly.has(type) ? shownTextOnly : shownChildren)(children);
  const changed = changedAttributes(type, props);
  if (shown !== children) {
    changed.children = shown;
  }
  for (const _name in changed) {
    return { ...props, ...changed };
  }
  return props;
}

export type Make = (type: ElementType, props: Props, key?: Key) => ReactElement;
