// Who may import whom (scripts/lint). Circles through types or import() are none when the code runs.

/** The folders of the window from the bottom up: each may import its own files and those of the rows below it; a row is one layer. */
const kWindowLayers = [
  ["lib"],
  ["ui"],
  ["api"],
  ["plugins"],
  ["sdk_app", "composer"],
  ["files", "terminals"],
  ["threads"],
  ["runtime", "shell"],
  ["pages"],
];

const layerRules = kWindowLayers.slice(0, -1).map((folders, at) => ({
  name: `window-layers-${folders.join("-")}`,
  comment: `window/src/${folders.join(", ")} stand below the folders they import here: hand it in from above, or move what both need down.`,
  severity: "error",
  from: { path: `^window/src/(${folders.join("|")})/` },
  to: {
    path: `^window/src/(${kWindowLayers
      .slice(at + 1)
      .flat()
      .join("|")})/`,
  },
}));

/** What a folder may reach outside of itself; all else of the tree is closed. */
const alone = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: "error",
  from: { path: from },
  to: { path: "^(bench|examples|modules|scaffold|sdk|tests|window)/", pathNot: allowed },
});

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    {
      name: "circle",
      comment: "Files that need each other's values at load depend on the order of imports.",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only", "dynamic-import", "type-import"] } },
    },
    ...layerRules,
    {
      name: "window-runtime-shell",
      comment: "The modules that bundles import and the frame around the pages know nothing of each other.",
      severity: "error",
      from: { path: "^window/src/(runtime|shell)/" },
      to: { path: "^window/src/(runtime|shell)/", pathNot: "^window/src/$1/" },
    },
    alone(
      "window",
      "^window/src/",
      ["^window/src/", "^sdk/src/", "^modules/sdkclient/js/"],
      "The window ships its own files, the policy of the SDK and the one table of routes.",
    ),
    alone(
      "modules",
      "^modules/",
      ["^modules/", "^sdk/src/"],
      "Scripts of modules run in plugin environments: the policy they share with the SDK is in sdk/src.",
    ),
    alone("sdk", "^sdk/src/", ["^sdk/src/"], "What authors get stands alone; only the fake host runs the scripts of modules."),
    alone(
      "fake-host",
      "^sdk/fake_host/",
      ["^sdk/(src|fake_host)/", "^modules/[^/]+/js/"],
      "The fake host runs the scripts of modules and nothing else.",
    ),
    alone(
      "examples",
      "^examples/([^/]+)/",
      ["^examples/$1/", "^sdk/dist/"],
      "An example is copied as it is, so it has everything in its own folder.",
    ),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: ["/dist/", "node_modules/"] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.imports.json" },
  },
};
