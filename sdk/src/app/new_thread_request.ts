import type { EnvironmentIntent, InputBlock, PermissionMode, ReasoningLevel, ServiceTier } from "../records.js";
import type { ExecutionInputSources } from "../sdk_threads.js";

/** What `experimental_NewThreadComposer` hands to `onSubmit`: ready for `threads.spawn` as it is. */
export interface NewThreadRequest {
  projectId: string;
  providerId: string;
  /** `default` where the provider names none. */
  model: string;
  reasoningLevel: ReasoningLevel;
  permissionMode: PermissionMode;
  serviceTier?: ServiceTier;
  /** `explicit` for what the user chose or a default of the composer gave, `client-preference` for what was remembered. */
  executionInputSources: ExecutionInputSources;
  environment: EnvironmentIntent;
  input: InputBlock[];
}
