// Tools for agents: what they take is described, what they answer is JSON that does not change its form, long work says how far it is and
// ends when nobody waits, and nothing is deleted before the user has agreed.
import { readdir, readFile } from "node:fs/promises";
import { extname, join, resolve } from "node:path";

import type { SvcPluginApi } from "@get-svc/plugin-sdk";
import { z } from "zod";

// A type, not an interface: stored values are JSON objects.
type Survey = {
  folder: string;
  takenAt: string;
  files: number;
  lines: number;
  byEnding: { [ending: string]: { files: number; lines: number } };
};

const kSurveys = "surveys";
/** More would be a folder that nobody meant. */
const kMostFiles = 20_000;

export default function survey(svc: SvcPluginApi): void {
  const surveys = async (): Promise<Survey[]> => (await svc.storage.kv.get<Survey[]>(kSurveys)) ?? [];

  svc.agents.registerTool({
    name: "survey_folder",
    description:
      "Counts files and lines below a folder of the server's machine, by file ending, and keeps the result. Answers JSON: { folder, takenAt, files, lines, byEnding }. " +
      "Use it before you work on a project you do not know.",
    parameters: z.object({
      folder: z.string().min(1).describe("Absolute path of the folder"),
      endings: z.array(z.string().startsWith(".")).optional().describe('Only files with these endings, such as [".ts", ".md"]'),
    }),
    instructions: "Survey a folder once and reuse the result: survey_list has those that were taken.",
    presentation: { label: { pending: "Surveying", completed: "Surveyed" } },
    async execute({ folder, endings }, { signal, experimental_progress }) {
      const files = await filesBelow(resolve("/", folder), endings);
      const taken: Survey = { folder: resolve("/", folder), takenAt: new Date().toISOString(), files: 0, lines: 0, byEnding: {} };
      for (const file of files) {
        signal.throwIfAborted();
        const lines = (await readFile(file, { encoding: "utf8", signal })).split("\n").length;
        const ending = (taken.byEnding[extname(file) || "(none)"] ??= { files: 0, lines: 0 });
        ending.files += 1;
        ending.lines += lines;
        taken.files += 1;
        taken.lines += lines;
        experimental_progress?.({ progress: taken.files, total: files.length, message: file });
      }
      await svc.storage.kv.set(kSurveys, [...(await surveys()).filter((each) => each.folder !== taken.folder), taken]);
      return JSON.stringify(taken);
    },
  });

  svc.agents.registerTool({
    name: "survey_list",
    description: "Lists the surveys that were taken, as a JSON array of { folder, takenAt, files, lines, byEnding }.",
    parameters: z.object({}),
    execute: async () => JSON.stringify(await surveys()),
  });

  svc.agents.registerTool({
    name: "survey_forget",
    description: "Deletes all surveys, after the user has agreed. Answers whether it did.",
    parameters: z.object({}),
    async execute(_params, { threadId, signal }) {
      const count = (await surveys()).length;
      // Outside of a thread the signal says which call the form belongs to. Where nobody can be shown one it rejects, and the agent reads why.
      const answer = await svc.ui.requestInput(
        {
          threadId,
          rendererId: "forget",
          title: "Forget all surveys?",
          payload: { count },
          describeSubmission: () => ({ title: `${count} surveys were forgotten` }),
        },
        { signal },
      );
      if (answer.outcome === "cancelled") {
        return `Nothing was deleted (${answer.reason}). Do not ask again unless the user wants it.`;
      }
      await svc.storage.kv.delete(kSurveys);
      return `${count} surveys were deleted.`;
    },
  });

  // In a personal project there is nothing that is worth keeping.
  svc.agents.configure(({ project }) => ({
    tools: project.kind === "personal" ? ["survey_list"] : ["survey_folder", "survey_list", "survey_forget"],
    skills: ["survey"],
  }));
}

/** Regular files, without dependencies and what begins with a dot. */
async function filesBelow(root: string, endings: readonly string[] | undefined): Promise<string[]> {
  const found: string[] = [];
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") {
        continue;
      }
      if (entry.isDirectory()) {
        folders.push(join(folder, entry.name));
      } else if (entry.isFile() && (endings === undefined || endings.includes(extname(entry.name)))) {
        found.push(join(folder, entry.name));
      }
    }
    if (found.length > kMostFiles) {
      throw new Error(`there are more than ${kMostFiles} files below ${root}; survey a smaller folder, or name endings`);
    }
  }
  return found.sort();
}
