import type { InputBlock } from "../records.js";

/** What `experimental_NewThreadComposer` hands to `onSubmit`. */
export interface NewThreadRequest {
  projectId: string | null;
  input: InputBlock[];
  providerId: string | null;
  model: string | null;
  reasoningLevel: string | null;
  permissionMode: string | null;
  environmentId: string | null;
}
