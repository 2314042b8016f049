import { type ReactNode, use, useEffect } from "react";

import { createStore, useStore } from "@/lib/store";
import { type NamedFile, namedFile, TextFilesContext } from "./text_files";

const kNothing = createStore<ReadonlyMap<string, boolean>>(new Map());

export interface TextFileProps {
  /** What may be the path of a file. */
  text: string;
  className?: string;
  children: ReactNode;
  /** What is shown where it names no file that is there; without, `children`. */
  otherwise?: ReactNode;
}

/** What names a file that is there opens it; everything else is shown as it is. */
export function TextFile({ text, ...more }: TextFileProps) {
  const files = use(TextFilesContext);
  const file = files === null ? null : namedFile(text);
  return file === null ? (more.otherwise ?? more.children) : <Named file={file} {...more} />;
}

function Named({ file, className, children, otherwise = children }: Omit<TextFileProps, "text"> & { file: NamedFile }) {
  const files = use(TextFilesContext);
  const { path } = file;
  const isThere = useStore(files?.there ?? kNothing, (all) => all.get(path) === true);
  useEffect(() => files?.ask(path), [files, path]);
  return isThere ? (
    <button type="button" title={`Open ${path}`} className={className} onClick={() => files?.open(file)}>
      {children}
    </button>
  ) : (
    otherwise
  );
}
