import { vi } from "vitest";

/**
 * Sizes where happy-dom has none, for lists that draw only the rows in view: every scrolling region is `view` pixels high, every row
 * `row`, and what is in a region is as high as its style says. Until mocks are restored.
 */
export function pretendLayout({ view = 600, row = 26 }: { view?: number; row?: number } = {}): void {
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(view);
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(row);
  vi.spyOn(HTMLElement.prototype, "scrollHeight", "get").mockImplementation(function (this: HTMLElement) {
    return Math.max(view, Number.parseFloat((this.firstElementChild as HTMLElement | null)?.style.height ?? "") || 0);
  });
}
