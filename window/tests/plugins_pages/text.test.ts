import { describe, expect, it } from "vitest";

import { lowerHeadings } from "@/pages/plugins/lower_headings";
import { traceText } from "@/lib/trace_text";

describe("lowerHeadings", () => {
  it("lowers headings to the sixth level at most", () => {
    expect(lowerHeadings("# A\n## B\n###### C\n#hash", 2)).toBe("### A\n#### B\n###### C\n#hash");
  });
  it("lowers underlined headings", () => {
    expect(lowerHeadings("A\n===\nB\n---\n\n---\n", 1)).toBe("## A\n### B\n\n---\n");
  });
  it("leaves code alone", () => {
    const code = "```sh\n# comment\n```\n~~~~\n# x\n~~~\n# y\n~~~~\n";
    expect(lowerHeadings(`${code}# A`, 1)).toBe(`${code}## A`);
  });
});

describe("traceText", () => {
  it("says the message once", () => {
    expect(traceText("boom", null)).toBe("boom");
    expect(traceText("boom", "Error: boom\n  at x")).toBe("Error: boom\n  at x");
    expect(traceText("Error: boom (a.ts:1:1)", "Error: boom\n  at x")).toBe("Error: boom (a.ts:1:1)\n  at x");
    expect(traceText("other", "Error: boom\n  at x")).toBe("other\nError: boom\n  at x");
  });
});
