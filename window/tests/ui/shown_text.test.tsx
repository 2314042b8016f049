import { cleanup, render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { Link, MemoryRouter } from "react-router";
import { afterEach, describe, expect, it, vi } from "vitest";

import { jsx, jsxs } from "@/ui/shown_text/jsx-runtime";

afterEach(cleanup);

const kPath = "/etc/\u202etxt.wodahs";
const marks = (container: Element) =>
  [...container.querySelectorAll("[data-svc-hidden-character]")].map((mark) => mark.getAttribute("data-svc-hidden-character"));

function Frame({ children }: { children: ReactNode }) {
  return <div>{children}</div>;
}

describe("what the window draws", () => {
  it("shows hidden characters in texts of elements, fragments and components, and keeps the text", () => {
    const texts = [kPath, "b\u2066"];
    const { container } = render(
      <MemoryRouter>
        <p>{kPath}</p>
        <p>
          in {kPath} {"and"} {texts}
        </p>
        <>{kPath}</>
        <Frame>{kPath}</Frame>
        <Link to="/">{kPath}</Link>
      </MemoryRouter>,
    );
    expect(marks(container)).toEqual(["\\u{202E}", "\\u{202E}", "\\u{202E}", "\\u{2066}", "\\u{202E}", "\\u{202E}", "\\u{202E}"]);
    expect(container.querySelector("p")!.textContent).toBe(kPath);
    // Where a parent lays out its children one by one, a text is one of them.
    expect(container.querySelector("p")!.children).toHaveLength(1);
  });

  it("draws a text of a language, an emoji and a plain one as it is", () => {
    const { container } = render(<p>שלום 👩‍👧 plain</p>);
    expect(container.innerHTML).toBe("<p>שלום 👩‍👧 plain</p>");
  });

  it("names hidden characters where only text goes: attributes, choices and drawings", () => {
    const { container } = render(
      <div title={kPath} aria-label={kPath}>
        <img alt={kPath} />
        <select aria-label="Choice">
          <option value={kPath}>Use {kPath}</option>
        </select>
        <svg>
          <text>{kPath}</text>
        </svg>
      </div>,
    );
    const shown = "/etc/\\u{202E}txt.wodahs";
    expect(screen.getByLabelText(shown).title).toBe(shown);
    expect(screen.getByAltText(shown)).toBeTruthy();
    const option = container.querySelector("option")!;
    expect([option.textContent, option.value]).toEqual([`Use ${shown}`, kPath]);
    expect(container.querySelector("text")!.textContent).toBe(shown);
  });

  it("leaves what is no text to read: values, code of pages, props of components", () => {
    const seen = vi.fn();
    const Seen = (props: { title: string; path: string }) => {
      seen(props);
      return null;
    };
    const { container } = render(
      <>
        <Seen title={kPath} path={kPath} />
        <input defaultValue={kPath} aria-label="Path" />
        <style>{"a\u200bb"}</style>
      </>,
    );
    expect(seen.mock.calls[0]![0]).toEqual({ title: kPath, path: kPath });
    expect((screen.getByLabelText("Path") as HTMLInputElement).value).toBe(kPath);
    expect(container.querySelector("style")!.textContent).toBe("a\u200bb");
  });

  it("is the same in the build that is served", () => {
    const { container } = render(jsxs("div", { children: [jsx("p", { children: kPath }, "p"), jsx("b", { children: "plain" }, "b")] }));
    expect(marks(container)).toEqual(["\\u{202E}"]);
  });
});
