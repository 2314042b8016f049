import { characterName, hiddenParts } from "@/lib/shown_text";
import { kHiddenCharacter } from "@/ui/shown_text/element";

interface Node {
  type: string;
  tagName?: string;
  value?: string;
  properties?: Record<string, unknown>;
  children?: Node[];
}

const element = (properties: Record<string, unknown>, children: Node[]): Node => ({
  type: "element",
  tagName: "span",
  properties,
  children,
});
const text = (value: string): Node => ({ type: "text", value });

function shown(node: Node): Node {
  const parts = node.type === "text" ? hiddenParts(node.value ?? "") : null;
  if (parts === null) {
    show(node);
    return node;
  }
  return element(
    {},
    parts.map((part) =>
      part.isHidden ? element({ [kHiddenCharacter]: characterName(part.text) }, [element({}, [text(part.text)])]) : text(part.text),
    ),
  );
}

function show(node: Node): void {
  // Code is drawn by components of the window, which take its text as it was written.
  if (node.children !== undefined && node.tagName !== "code") {
    node.children = node.children.map(shown);
  }
}

/** The parser makes its elements without the JSX of the window: its texts show hidden characters by this. */
export const showHiddenCharacters = () => show;
