// Flame graphs of folded stacks: a page of its own, whose graph works without scripts and zooms and searches with them.
import { frameOfText, kSeparator } from "./fold.mjs";
import { escaped, numbered, page } from "./page.mjs";

/** What is narrower than this share of all samples cannot be seen. */
const kLeastShare = 0.0005;
const kRow = 20;

const kKinds = {
  thread: "thread",
  svc: "svc",
  node: "Node.js and V8",
  javascript: "compiled JavaScript",
  library: "other libraries",
  kernel: "kernel",
};

/** The frames of folded stacks as a tree: equal frames below equal frames are one. */
export function treeOf(stacks) {
  const root = { name: "all", kind: "thread", samples: 0, children: new Map() };
  for (const [stack, samples] of stacks) {
    let node = root;
    node.samples += samples;
    for (const text of stack.split(kSeparator)) {
      if (!node.children.has(text)) {
        node.children.set(text, { ...frameOfText(text), samples: 0, children: new Map() });
      }
      node = node.children.get(text);
      node.samples += samples;
    }
  }
  return root;
}

/** The visible frames, each with its depth and where it begins, as a share of all; the widest first among its siblings. */
function placed(root) {
  const frames = [];
  const place = (node, depth, from) => {
    const share = node.samples / root.samples;
    if (share < kLeastShare) {
      return;
    }
    frames.push({ ...node, depth, from, share });
    let at = from;
    for (const child of [...node.children.values()].sort((a, b) => b.samples - a.samples)) {
      place(child, depth + 1, at);
      at += child.samples / root.samples;
    }
  };
  place(root, 0, 0);
  return frames;
}

const percent = (share) => `${(100 * share).toFixed(3)}%`;

function frame({ name, kind, depth, from, share, samples }) {
  const text = escaped(name);
  const told = `${text}: ${numbered(100 * share)} % (${samples} samples)`;
  return `<button class="${kind}" style="left:${percent(from)};width:${percent(share)};top:${depth * kRow}px" title="${told}">${text}</button>`;
}

function graph(program, stacks) {
  const root = treeOf(stacks);
  const frames = placed(root);
  const height = (Math.max(...frames.map(({ depth }) => depth)) + 1) * kRow;
  return `<h2>${escaped(program)}</h2><p>${root.samples} samples</p>
<div class="flame" style="height:${height}px">
${frames.map(frame).join("\n")}
</div>`;
}

const kStyle = `
.flame { position: relative; overflow: hidden; background: var(--card); border: 1px solid var(--line); border-radius: 4px }
.flame button, .legend i { background: var(--tint); color: #16181d; border: 0 }
.flame button { position: absolute; height: ${kRow - 1}px; padding: 0 3px; border-right: 1px solid var(--card); font: 12px/${kRow - 1}px ui-monospace, monospace;
  text-align: left; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; cursor: pointer; min-width: 0; border-radius: 0 }
.flame button:hover { filter: brightness(.88) } .flame button:focus-visible { outline: 2px solid var(--text); outline-offset: -2px }
.flame .found { outline: 2px solid #c2185b; outline-offset: -2px } .flame .above { opacity: .55 }
.thread { --tint: #d3d6dd } .svc { --tint: #8ab8f5 } .node { --tint: #a5d6a7 } .javascript { --tint: #ffe08a } .library { --tint: #c9b8ea } .kernel { --tint: #f6a98f }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 0 0 1rem; padding: 0; list-style: none } .legend i { display: inline-block; width: 1em; height: 1em; margin-right: .4em; vertical-align: -.15em }
input { font: inherit; padding: .3rem .5rem; width: min(100%, 22rem); background: var(--card); color: var(--text); border: 1px solid var(--quiet); border-radius: 4px }
`;

/** In the page: a click on a frame makes it as wide as the graph, one on what is above it goes back; the search marks. */
const kScript = `
for (const graph of document.querySelectorAll(".flame")) {
  const frames = [...graph.children].map((element) => ({ element, from: parseFloat(element.style.left), width: parseFloat(element.style.width) }));
  graph.addEventListener("click", ({ target }) => {
    const chosen = frames.find(({ element }) => element === target);
    if (!chosen) return;
    for (const { element, from, width } of frames) {
      const isAround = from <= chosen.from + 1e-4 && from + width >= chosen.from + chosen.width - 1e-4;
      const isInside = from >= chosen.from - 1e-4 && from + width <= chosen.from + chosen.width + 1e-4;
      const isAbove = isAround && parseInt(element.style.top) < parseInt(target.style.top);
      element.classList.toggle("above", isAbove);
      element.hidden = !isAbove && !isInside;
      element.style.left = isAbove ? "0%" : (100 * (from - chosen.from)) / chosen.width + "%";
      element.style.width = isAbove ? "100%" : (100 * width) / chosen.width + "%";
    }
  });
}
document.querySelector("input").addEventListener("input", ({ target }) => {
  const wanted = target.value.trim().toLowerCase();
  for (const element of document.querySelectorAll(".flame button")) {
    element.classList.toggle("found", wanted !== "" && element.textContent.toLowerCase().includes(wanted));
  }
});
`;

/** The page of one scenario: a graph for each of the programs, `Map` of a name to its folded stacks. */
export function flamePage(scenario, programs) {
  const graphs = [...programs].sort(([, a], [, b]) => treeOf(b).samples - treeOf(a).samples).map(([name, stacks]) => graph(name, stacks));
  const legend = Object.entries(kKinds).map(([kind, text]) => `<li class="${kind}"><i></i>${text}</li>`);
  const body = `<h1>Where ${escaped(scenario)} spends the processor's time</h1>
<p>How wide a frame is says in how many samples it was; what it called lies below it. Threads are at the top, the widest first. A click on a frame makes it as wide as
the page, one on a frame above it goes back. Compiled JavaScript has no names, and the stack ends where it called out of it.</p>
<ul class="legend">${legend.join("")}</ul>
<p><label>Find <input type="search" placeholder="part of a name"></label></p>
${graphs.length === 0 ? "<p>Nothing was sampled: the server did nothing while it was measured.</p>" : graphs.join("\n")}
<script>${kScript}</script>`;
  return page({ title: `Flame graph of ${scenario}`, style: kStyle, body });
}
