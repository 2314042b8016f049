import { afterEach, describe, expect, it } from "vitest";

import { seenText } from "@/threads/seen_text";

afterEach(() => document.body.replaceChildren());

function seen(html: string, from?: [string, number], to?: [string, number]): string {
  document.body.innerHTML = html;
  const range = document.createRange();
  range.selectNodeContents(document.body);
  if (from !== undefined && to !== undefined) {
    range.setStart(document.querySelector(from[0])!.firstChild!, from[1]);
    range.setEnd(document.querySelector(to[0])!.firstChild!, to[1]);
  }
  return seenText(range);
}

const formula = (source: string) =>
  `<span class="katex"><span class="katex-mathml"><math><mi>drawn</mi><annotation>${source}</annotation></math></span><span>d r</span></span>`;

describe("seenText", () => {
  it.each([
    ["paragraphs and line breaks", "<p>One\n  <b>two</b>\n three</p>\n<p>four<br>five</p>", "One two three\n\nfour\nfive"],
    ["lists", "<p>Do</p><ul><li>a</li><li><p>b</p><ul><li>c</li></ul></li></ul><p>end</p>", "Do\n\na\nb\nc\n\nend"],
    [
      "code as it is",
      "<p>x</p><pre style='white-space: pre'><code style='white-space: pre'>if\n  b\n</code></pre><p>y</p>",
      "x\n\nif\n  b\n\ny",
    ],
    ["tables", "<table><tbody><tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></tbody></table>", "1\t2\n3\t4"],
    ["formulas", `<p>so ${formula("x^2")} is</p><span class="katex-display">${formula("y")}</span>`, "so $x^2$ is\n\n$$y$$"],
    ["what is not shown", '<p>a<span class="sr-only">b</span><i style="display: none">c</i><i style="user-select: none">d</i>e</p>', "ae"],
    ["nothing", "<p> </p>", ""],
  ])("writes %s", (_what, html, text) => {
    expect(seen(html)).toBe(text);
  });

  it("begins and ends where the range does", () => {
    expect(seen("<p id='a'>One two</p><p id='b'>three four</p>", ["#a", 4], ["#b", 5])).toBe("two\n\nthree");
    expect(seen("<p id='a'>One two</p>", ["#a", 1], ["#a", 5])).toBe("ne t");
  });

  it("takes a formula whole", () => {
    expect(seen(`<p>${formula("x^2")}</p>`, ["mi", 1], ["mi", 3])).toBe("$x^2$");
  });
});
