/** Limits of the contract, by their names there. */
export const kStageCleanMs = 60 * 60 * 1000;
export const kBundleJs = 16 * 1024 * 1024;
export const kBundleCss = 4 * 1024 * 1024;
export const kBundleWarn = 1024 * 1024;
export const kArtifact = 256 * 1024 * 1024;
