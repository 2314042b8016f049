/** What a file looks like from outside, to tell whether something that was made from it still holds. */
type Fs = typeof import("node:fs");

/** A file that is gone, or a folder that is not there yet, is a state like any other. */
function stateOf(fs: Fs, name: string): string {
  const stats = fs.statSync(name, { throwIfNoEntry: false });
  return stats ? `${stats.mtimeMs}:${stats.size}:${stats.ino}` : "absent";
}

/** Equal texts: none of the files has changed, nor has an entry of one of the folders come or gone. */
export function statesOf(fs: Fs, names: string[]): string {
  return JSON.stringify(names.map((name) => stateOf(fs, name)));
}

/** Whether one of them was written after `time`: nobody knows then which state was read. */
export function changedSince(fs: Fs, names: string[], time: number): boolean {
  return names.some((name) => (fs.statSync(name, { throwIfNoEntry: false })?.mtimeMs ?? 0) > time);
}

/** Readers see the old text or the new one. Throws what the file system answers. */
export function replaceFile(fs: Fs, name: string, content: string | Uint8Array): void {
  const fresh = `${name}.new`;
  try {
    fs.writeFileSync(fresh, content);
    fs.renameSync(fresh, name);
  } catch (error) {
    removeFile(fs, fresh);
    throw error;
  }
}

/** Of a file that is kept for speed only: it is no loss when it cannot be removed. */
export function removeFile(fs: Fs, name: string): void {
  try {
    fs.rmSync(name, { force: true });
  } catch {
    // Its folder is not one, or is not ours to write.
  }
}
