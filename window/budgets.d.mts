export interface ManifestChunk {
  file: string;
  imports?: string[];
  dynamicImports?: string[];
}
export interface Measured {
  name: "boot" | "runtime";
  bytes: number;
  limit: number;
  parts: { file: string; bytes: number }[];
}
export const BUDGETS: Readonly<Record<Measured["name"], number>>;
export function measure(manifest: Record<string, ManifestChunk>, gzipBytes: (file: string) => number): Measured[];
export function report(measured: readonly Measured[]): string[];
export function isOverBudget(measured: readonly Measured[]): boolean;
