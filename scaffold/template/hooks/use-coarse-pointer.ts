import { useMediaQuery } from "@/hooks/use-media-query";

/** True when the main pointer is a finger. */
export function useCoarsePointer(): boolean {
  return useMediaQuery("(pointer: coarse)");
}
