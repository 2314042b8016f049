// What a page does in the browser: the search, copying code, and the list of pages on narrow screens. All works without it but these.
import MiniSearch from "minisearch";

const kMaxResults = 12;
/** Characters of a result's text, around the first word that fits. */
const kShown = 140;
const kWide = "(min-width: 60rem)";

const up = document.body.dataset.up;

function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

let index;

/** Loaded when somebody is about to search, once; a failure is tried again. */
function loadIndex() {
  index ??= fetch(`${up}search.json`)
    .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(`${answer.status}`))))
    .then((sections) => {
      const search = new MiniSearch({
        fields: ["title", "heading", "text"],
        storeFields: ["url", "id", "title", "heading", "text"],
        idField: "key",
        searchOptions: {
          boost: { title: 3, heading: 4 },
          prefix: true,
          fuzzy: (term) => (term.length > 4 ? 0.2 : false),
          combineWith: "AND",
        },
      });
      search.addAll(sections.map((section, key) => ({ ...section, key })));
      return search;
    })
    .catch((failure) => {
      index = undefined;
      throw failure;
    });
  return index;
}

function excerpt({ text, terms }) {
  const lower = text.toLowerCase();
  const at = Math.min(...terms.map((term) => lower.indexOf(term)).filter((found) => found >= 0), text.length);
  const start = at === text.length ? 0 : Math.max(0, at - kShown / 3);
  return `${start > 0 ? "…" : ""}${text.slice(start, start + kShown)}${start + kShown < text.length ? "…" : ""}`;
}

function row(found) {
  const path = found.heading === found.title ? found.title : `${found.title} › ${found.heading}`;
  return element("a", { href: `${up}${found.url}#${found.id}` }, element("strong", {}, path), element("span", {}, excerpt(found)));
}

function setUpSearch(box) {
  const input = box.querySelector("input");
  const results = box.querySelector("#results");
  const close = () => {
    results.hidden = true;
  };
  const show = async () => {
    const query = input.value.trim();
    if (query === "") {
      close();
      return;
    }
    let rows;
    try {
      const found = (await loadIndex()).search(query);
      rows = found.length > 0 ? found.slice(0, kMaxResults).map(row) : [element("p", {}, `Nothing is about “${query}”.`)];
    } catch {
      rows = [element("p", {}, "The search could not be loaded. Type again to try again.")];
    }
    // What was typed while the index came has an answer of its own.
    if (query === input.value.trim()) {
      results.replaceChildren(...rows);
      results.hidden = false;
    }
  };
  const move = (step) => {
    const stops = [input, ...results.querySelectorAll("a")];
    stops[(stops.indexOf(document.activeElement) + step + stops.length) % stops.length].focus();
  };
  box.hidden = false;
  input.addEventListener("focus", () => loadIndex().catch(() => {}));
  input.addEventListener("input", () => void show());
  box.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      move(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Escape") {
      close();
      input.focus();
    } else if (event.key === "Enter" && event.target === input) {
      results.querySelector("a")?.click();
    }
  });
  box.addEventListener("click", (event) => {
    if (event.target.closest("a") !== null) {
      close();
    }
  });
  document.addEventListener("click", (event) => {
    if (!box.contains(event.target)) {
      close();
    }
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]") !== null;
    const isFind = event.key === "/" || (event.key === "k" && (event.ctrlKey || event.metaKey));
    if (isFind && !isTyping) {
      event.preventDefault();
      input.focus();
    }
  });
}

/** The clipboard is there for addresses that browsers trust only. */
function setUpCopy(button) {
  if (navigator.clipboard === undefined) {
    return;
  }
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(button.previousElementSibling.textContent);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed";
    }
  });
  button.addEventListener("blur", () => {
    button.textContent = label;
  });
}

/** The list of pages is open where there is room beside the text. */
function setUpPages(list) {
  const wide = matchMedia(kWide);
  const follow = () => {
    list.open = wide.matches;
  };
  wide.addEventListener("change", follow);
  follow();
  if (wide.matches) {
    const nav = list.querySelector("nav");
    const here = nav.querySelector("[aria-current]");
    nav.scrollTop = (here?.offsetTop ?? 0) - nav.clientHeight / 2;
  }
}

setUpSearch(document.querySelector(".search"));
document.querySelectorAll("button.copy").forEach(setUpCopy);
document.querySelectorAll("details.pages").forEach(setUpPages);
