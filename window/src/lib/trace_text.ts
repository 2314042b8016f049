/** A message with its stack, without saying twice what the first line of the stack says too. */
export function traceText(message: string, stack: string | null): string {
  if (stack === null) {
    return message;
  }
  const first = stack.split("\n", 1)[0] ?? "";
  if (stack.includes(message)) {
    return stack;
  }
  return first !== "" && message.includes(first) ? `${message}${stack.slice(first.length)}` : `${message}\n${stack}`;
}
