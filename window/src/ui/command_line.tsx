import { CopyButton } from "./copy_button";

/** A command to run in a terminal. */
export function CommandLine({ text }: { text: string }) {
  return (
    <div className="flex min-w-0 items-center gap-1 rounded-md bg-surface-recessed-solid py-1 pr-1 pl-3">
      <code className="min-w-0 flex-1 truncate font-mono text-sm">{text}</code>
      <CopyButton text={text} label={`Copy “${text}”`} />
    </div>
  );
}
