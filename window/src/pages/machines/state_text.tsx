import { sentence } from "./state";

/** What the service says of a machine's state; what it puts between backticks is to be typed. */
export function StateText({ message }: { message: string }) {
  return sentence(message)
    .split("`")
    .map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>));
}
