// What React says when a component's hooks belong to another copy of it; 321 is the same without words.
const kSecondReact = /Invalid hook call|Minified React error #321|Cannot read properties of null \(reading 'use[A-Z]|null is not an object \(evaluating '[^']*\.use[A-Z]|can't access property "use[A-Z]\w*", \S+ is null/;
// An element of an older React; 525 is the same without words.
const kOldElement = /older version of React was rendered|Minified React error #525/;

/** Adds the likely cause and what to do to messages that do not say it. */
export function explainCrash(message: string): string {
  return kSecondReact.test(message) || kOldElement.test(message)
    ? `${message} — the bundle seems to contain a second copy of React; build it with \`svc plugin build\`, which leaves React to the window`
    : message;
}
