export const ASSET_COMPRESS: number;
export function compressFolder(folder: string, previous?: string): number;
