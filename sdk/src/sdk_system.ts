import type { ModelQuery, NotSupported, Ok, OptionalCall } from "./sdk_calls.js";
import type { ProviderModels, UsageLimits } from "./sdk_providers.js";
import type { ActiveTheme, PluginThemeEntry } from "./sdk_theme.js";

/** How the service is set up, as `system.config` answers. */
export interface SystemConfig {
  version: string;
  sdkVersion: string;
  dataDir: string;
  serverUrl: string;
  /** Id of the server's own machine; null on a server without machines. */
  primaryHostId: string | null;
  /** Null where `primaryHostId` is. */
  primaryHostPlatform: "linux" | "darwin" | "wsl" | "unknown" | null;
  /** IANA name. */
  timezone: string;
  /** Plugins that do not come with the service are held until `svc plugin safe-mode off`. */
  safeMode: boolean;
  appearance: ActiveTheme;
  /** Names of the files `<dataDir>/themes/<name>.css`. */
  customThemes: string[];
  pluginThemes: PluginThemeEntry[];
  voiceTranscriptionEnabled: false;
}

/** Which version of the service runs, as `system.version` answers. */
export interface SystemVersion {
  version: string;
  sdkVersion: string;
  currentVersion: string;
  /** Null while the service knows of none: it asks nobody for newer versions of itself. */
  latestVersion: string | null;
  updateAvailable: boolean;
  isDevelopment: boolean;
  /** Null while the service knows of no newer version. */
  upgradeCommand: string | null;
  /** How this service was installed: `package`, or `source` where it runs from its build directory. */
  source: "package" | "source" | (string & {});
}

/** `svc.sdk.system`: the service as a whole. */
export interface SdkSystem {
  config: OptionalCall<{}, Ok & SystemConfig>;
  version: OptionalCall<{}, Ok & SystemVersion>;
  usageLimits: OptionalCall<{ hostId?: string }, UsageLimits>;
  /** Which keys apply now, and which after a restart. */
  reloadConfig: OptionalCall<{}, Ok & { applied: string[]; needRestart: string[] }>;
  /** Whether a visible thread is unread or waits for input. */
  attention: OptionalCall<{}, Ok & { hasAttention: boolean }>;
  /** As `providers.models`. */
  executionOptions: OptionalCall<ModelQuery, Ok & ProviderModels>;
  providerStates: OptionalCall<{}, { providerId: string; hostId: string; available: boolean; unavailableReason: string | null }[]>;
  transcribeVoice: NotSupported;
  updateGeneralSettings: NotSupported;
  updateExperiments: NotSupported;
  updateKeyboardSettings: NotSupported;
  uiPreferences: NotSupported;
  cliSkillsStatus: NotSupported;
  installCliSkills: NotSupported;
  onboardingAgents: NotSupported;
  onboardingRepos: NotSupported;
  onboardingEvent: NotSupported;
}
