import { usePreference } from "@/lib/preferences";

/** The programs that open a place of a file by its address; `{file}` is its absolute path. */
export const kEditors = [
  { value: "vscode", label: "VS Code", address: "vscode://file{file}:{line}:{column}" },
  { value: "vscode-insiders", label: "VS Code Insiders", address: "vscode-insiders://file{file}:{line}:{column}" },
  { value: "cursor", label: "Cursor", address: "cursor://file{file}:{line}:{column}" },
  { value: "windsurf", label: "Windsurf", address: "windsurf://file{file}:{line}:{column}" },
  { value: "zed", label: "Zed", address: "zed://file{file}:{line}:{column}" },
  { value: "idea", label: "IntelliJ IDEA", address: "idea://open?file={file}&line={line}&column={column}" },
  { value: "webstorm", label: "WebStorm", address: "webstorm://open?file={file}&line={line}&column={column}" },
] as const;

const kEditor = "dev.editor";

interface Place {
  /** Relative to the plugin. */
  file: string;
  line: number;
  column: number;
}

/** The editor that this browser opens places with. */
export function useEditor() {
  const [value, setValue] = usePreference<string>(kEditor, kEditors[0].value);
  const { address, ...editor } = kEditors.find((each) => each.value === value) ?? kEditors[0];
  return {
    editor,
    setEditor: setValue,
    addressOf: (rootDir: string, { file, line, column }: Place) =>
      address
        .replace("{file}", `${rootDir}/${file}`.split("/").map(encodeURIComponent).join("/"))
        .replace("{line}", String(line))
        .replace("{column}", String(column)),
  };
}
