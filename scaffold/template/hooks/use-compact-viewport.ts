import { useMediaQuery } from "@/hooks/use-media-query";

/** True where the window itself uses drawers: narrow, or a touch screen that is not wide. */
export function useCompactViewport(): boolean {
  return useMediaQuery("(width < 768px), (pointer: coarse) and (width < 1024px)");
}
