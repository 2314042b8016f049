// Links of pages that are shipped to another place than the one they are written for.

const kLink = /(!?)\[([^\]]*)\]\(([^()\s]+)\)/g;
const kElsewhere = /^([a-z]+:|#)/;

/**
 * The page with links that lead to what is shipped: `find` gives the new address of a path as the page has it, or undefined. A link to what
 * is not shipped becomes its text, as does a picture.
 */
export function relink(text, find) {
  return text.replace(kLink, (link, picture, shown, target) => {
    if (kElsewhere.test(target)) {
      return link;
    }
    const [path, anchor] = target.split("#");
    const found = picture === "" ? find(path) : undefined;
    return found === undefined ? shown : `[${shown}](${found}${anchor === undefined ? "" : `#${anchor}`})`;
  });
}

/** Where a document of the repository is beside the pages in `guide`. `path` is relative to `docs`; `has` says what is shipped, relative to the plugin. */
export function placeOf(path, has) {
  if (path.includes("examples/")) {
    const example = path.slice(path.indexOf("examples/"));
    return has(example) ? `../${example}` : undefined;
  }
  if (path === "cli.md") {
    return "../reference/commands.md";
  }
  const name = path.replace(/^guide\//, "");
  return name !== "README.md" && has(`guide/${name}`) ? name : undefined;
}
