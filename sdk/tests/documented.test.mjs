// Every name that an author can import says in a documentation comment what it is: editors show nothing else.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const kPackage = fileURLToPath(new URL("..", import.meta.url));

/** The source of an entry: "./testing/app" is src/testing/app.ts. */
function sourceOf(entry) {
  return exported[entry].types.replace("./dist/", `${kPackage}src/`).replace(/\.d\.ts$/, ".ts");
}

/** The line of a declaration, and under which name it is exported from where. */
function placeOf({ declarations: [declaration] }, name) {
  const source = declaration.getSourceFile();
  const { line } = source.getLineAndCharacterOfPosition(declaration.getStart());
  return `${relative(kPackage, source.fileName)}:${line + 1} ${name}`;
}

function undocumented(program, source) {
  const checker = program.getTypeChecker();
  return checker
    .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(source)))
    .map((symbol) => [symbol.name, symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol])
    .filter(([, declared]) => ts.displayPartsToString(declared.getDocumentationComment(checker)).trim() === "")
    .map(([name, declared]) => placeOf(declared, name));
}

const { exports: exported } = JSON.parse(readFileSync(`${kPackage}package.json`, "utf8"));
const entries = Object.keys(exported).filter((entry) => exported[entry].types !== undefined);
const { config } = ts.readConfigFile(`${kPackage}tsconfig.json`, ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, kPackage);
const program = ts.createProgram(entries.map(sourceOf), options);

for (const entry of entries) {
  test(`every export of ${entry} is documented`, () => {
    const missing = undocumented(program, sourceOf(entry));
    assert.ok(missing.length === 0, `without a documentation comment:\n${missing.join("\n")}`);
  });
}
