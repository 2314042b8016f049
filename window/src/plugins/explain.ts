// What React says when a component's hooks belong to another copy of it; 321 is the same without words.
const kSecondReact =
  /Invalid hook call|Minified React error #321|Cannot read properties of null \(reading 'use[A-Z]|null is not an object \(evaluating '[^']*\.use[A-Z]|can't access property "use[A-Z]\w*", \S+ is null/;
// An element of an older React; 525 is the same without words.
const kOldElement = /older version of React was rendered|Minified React error #525/;

/** The window's React says numbers instead of words; these are the ones that authors meet. */
const kInWords: Readonly<Record<string, string>> = {
  31: "an object was rendered as a child; render text, elements or arrays of them",
  130: "an element's type is not a component; check what is imported and exported under its name",
  152: "the component returned nothing; return an element or null",
  185: "setState in an effect runs the same effect again and again; check its dependencies",
  200: "the target of a portal or root is not an element of the page",
  299: "the target of a portal or root is not an element of the page",
  300: "fewer hooks were called than in the render before; call hooks unconditionally, before any return",
  301: "setState is called while rendering, again and again; call it in an event or an effect",
  310: "more hooks were called than in the render before; call hooks unconditionally, before any return",
  482: "the component waits for a promise that is made anew in each render; an async function is no component of a browser",
};

/** Adds the likely cause and what to do to messages that do not say it. */
export function explainCrash(message: string): string {
  const words = kInWords[/Minified React error #(\d+)/.exec(message)?.[1] ?? ""];
  if (words !== undefined) {
    return `${message} — ${words}`;
  }
  return kSecondReact.test(message) || kOldElement.test(message)
    ? `${message} — the bundle seems to contain a second copy of React; build it with \`svc plugin build\`, which leaves React to the window`
    : message;
}
