import { fileUrl } from "@/api/file_content";
import { notify } from "@/lib/notifications";

/** Lets the browser keep a file under its name. */
export async function downloadFile(hostId: string, folder: string, name: string): Promise<void> {
  try {
    const link = document.createElement("a");
    link.href = await fileUrl(hostId, folder, name);
    link.download = name;
    link.click();
  } catch (failure) {
    notify({
      kind: "error",
      title: `${name} could not be downloaded`,
      description: failure instanceof Error ? failure.message : String(failure),
    });
  }
}
