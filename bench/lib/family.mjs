import { readdirSync, readFileSync } from "node:fs";

/** The process and those below it. */
export function familyOf(pid) {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) => {
    try {
      return readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number);
    } catch {
      return []; // the thread has ended meanwhile
    }
  });
  return [pid, ...children.flatMap(familyOf)];
}
