/** What Safari says of the key that ends a composition: it tells of the end first, and of the key after it. */
const kKeyOfInputMethod = 229;

/** Whether a key belongs to the input method that somebody writes with, such as the Enter that takes a word of Japanese. */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === kKeyOfInputMethod;
}
