// page.mjs: writes docs/http-api.md from openapi.json. What stands above the mark of that page is written by hand and stays.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { anchorOf } from "../site/render.mjs";

const kMark = "<!-- From here on written from http/openapi.json: node docs/http/page.mjs -->";
const kMethods = ["get", "post", "put", "patch", "delete"];
/** Deeper members are named by their record only. */
const kDepth = 3;
const kCallers = {
  host: "Whoever reaches the server may call it: only `Host` is checked.",
  none: "Anybody may call it: nothing is checked.",
  upload: "The body is the bytes themselves, with their content type.",
};

const cell = (text) => text.replace(/\s+/g, " ").replaceAll("|", "\\|").trim();

function table(head, rows) {
  return rows.length === 0
    ? []
    : [`| ${head.join(" | ")} |`, `|${"---|".repeat(head.length)}`, ...rows.map((row) => `| ${row.map(cell).join(" | ")} |`), ""];
}

/** The page for `document`; `present` is the page as it is, of which the beginning stays. */
export function pageOf(document, present) {
  const [head, rest] = present.split(kMark);
  if (rest === undefined) {
    throw new Error(`docs/http-api.md has no line ${kMark}`);
  }
  const writer = new Page(document);
  return `${head}${kMark}\n\n${writer.lines().join("\n").trimEnd()}\n`;
}

class Page {
  constructor(document) {
    this.document = document;
  }

  lines() {
    const { tags, components } = this.document;
    const lines = [
      ...table(
        ["Subject", "Routes"],
        tags.map((tag) => this.contentsOf(tag)),
      ),
    ];
    for (const tag of tags) {
      lines.push(`## ${tag.name}`, "", tag.description, "");
      this.operationsOf(tag.name).forEach((each) => lines.push(...this.operationLines(each)));
    }
    lines.push("## Records", "", "What answers and bodies above name by its type.", "");
    for (const [name, schema] of Object.entries(components.schemas).filter(([name]) => name !== "Failure")) {
      lines.push(`### ${name}`, "", ...(schema.description === undefined ? [] : [schema.description, ""]), ...this.schemaLines(schema));
    }
    return lines;
  }

  /** A route of any method is described once. */
  operationsOf(tag) {
    return Object.entries(this.document.paths).flatMap(([path, item]) =>
      kMethods
        .filter((method) => item[method]?.tags[0] === tag && (method === "get" || item[method]["x-svc-any-method"] === undefined))
        .map((method) => ({ path, operation: item[method], name: nameOf(method, path, item[method]) })),
    );
  }

  contentsOf({ name }) {
    const links = this.operationsOf(name).map((each) => `[${each.operation.summary.split(/[:;,]/)[0]}](#${anchorOf(each.name)})`);
    return [`[${name}](#${anchorOf(name)})`, links.join(" · ")];
  }

  operationLines({ name, operation }) {
    const lines = [
      `### \`${name}\``,
      "",
      `${operation.summary}.${operation.description === undefined ? "" : ` ${operation.description}`}`,
      "",
    ];
    const callers = kCallers[operation["x-svc-guard"]];
    if (callers !== undefined) {
      lines.push(callers, "");
    }
    const parameters = (operation.parameters ?? []).map((each) => this.resolve(each));
    lines.push(
      ...table(
        ["Parameter", "In", "Type", ""],
        parameters.map((each) => [
          `\`${each.name}\`${mark(each.required)}`,
          each.in,
          this.typeOf(each.schema),
          described({ ...each.schema, ...each }),
        ]),
      ),
    );
    lines.push(...this.bodyLines(operation), ...this.answerLines(operation));
    for (const { source } of operation["x-codeSamples"] ?? []) {
      lines.push("```sh", source, "```", "");
    }
    return lines;
  }

  bodyLines({ requestBody }) {
    const schema = requestBody?.content["application/json"]?.schema;
    if (schema === undefined) {
      return [];
    }
    const may = requestBody.required ? "" : ", which may be left out";
    if (schema.$ref !== undefined || Object.keys(schema).length === 0) {
      return [`Body${may}: ${this.typeOf(schema)}.`, ""];
    }
    return [`Body${may}:`, "", ...this.schemaLines(schema)];
  }

  answerLines({ responses }) {
    const lines = [];
    for (const [status, response] of Object.entries(responses)) {
      const schema = response.content?.["application/json"]?.schema;
      if (status !== "default" && response.$ref === undefined) {
        const body = schema === undefined || Object.keys(schema).length === 0 ? [] : this.answerSchemaLines(schema);
        const words = response.description === "the answer" ? "" : ` ${response.description}`;
        const end = body.length === 0 ? "." : ":";
        lines.push(`Answer ${status}${words === "" ? "" : `,${words}`}${end}`, "", ...body);
      }
    }
    const failures = Object.entries(responses).filter(([status, { $ref }]) => status !== "default" && $ref !== undefined);
    return [
      ...lines,
      ...table(
        ["Fails with", ""],
        failures.map(([status, { description }]) => [status, description]),
      ),
    ];
  }

  /** Without `ok`, which every envelope has. */
  answerSchemaLines(schema) {
    const { ok, ...properties } = schema.properties ?? {};
    if (schema.anyOf === undefined && ok !== undefined && Object.keys(properties).length === 0) {
      return ['`{ "ok": true }`', ""];
    }
    return this.schemaLines(schema, ["ok"]);
  }

  schemaLines(schema, without = []) {
    if (schema.anyOf !== undefined) {
      return [...schema.anyOf.map((each) => `- ${this.alternative(each, without)}`), ""];
    }
    if (schema.properties === undefined) {
      return [`${this.typeOf(schema)}`, ""];
    }
    const rows = this.rowsOf(schema, "", kDepth).filter(([name]) => !without.some((each) => name.startsWith(`\`${each}\``)));
    return table(["Member", "Type", ""], rows);
  }

  /** One of several, with its words and what leads to records. */
  alternative(schema, without) {
    const named = Object.entries(schema.properties ?? {}).filter(([, each]) => (each.items ?? each).$ref !== undefined);
    const records = named.map(([name, each]) => `\`${name}\`: ${this.typeOf(each)}`);
    const words = [schema.description, ...(records.length === 0 ? [] : [records.join(", ")])].filter((each) => each !== undefined);
    return `${this.typeOf(schema, without)}${words.length === 0 ? "" : `. ${words.join(" ")}`}`;
  }

  rowsOf(schema, prefix, depth) {
    return Object.entries(schema.properties).flatMap(([name, each]) => {
      const path = `${prefix}${name}`;
      const isRequired = schema.required?.includes(name) === true;
      const row = [`\`${path}\`${mark(isRequired)}`, this.typeOf(each), described(each)];
      const inner = each.items ?? each;
      const below =
        depth > 1 && inner.properties !== undefined ? this.rowsOf(inner, `${path}${each.items === undefined ? "" : "[]"}.`, depth - 1) : [];
      return [row, ...below];
    });
  }

  /** As a table shows it; a shape that has a name leads to its record. */
  typeOf(schema, without = []) {
    if (schema.$ref !== undefined) {
      const name = schema.$ref.split("/").at(-1);
      return `[${name}](#${anchorOf(name)})`;
    }
    if (schema.anyOf !== undefined) {
      return schema.anyOf.map((each) => this.typeOf(each, without)).join(" or ");
    }
    if (schema.const !== undefined) {
      return `\`${JSON.stringify(schema.const)}\``;
    }
    if (schema.enum !== undefined) {
      return schema.enum.map((each) => `\`${JSON.stringify(each)}\``).join(", ");
    }
    const types = [schema.type ?? "any JSON"].flat();
    if (types.includes("array")) {
      return [`array of ${this.typeOf(schema.items)}`, ...types.filter((type) => type !== "array")].join(" or ");
    }
    if (without.length > 0 || (schema.properties?.kind ?? schema.properties?.type ?? schema.properties?.outcome) !== undefined) {
      return [this.shapeOf(schema, without), ...types.filter((type) => type !== "object")].join(" or ");
    }
    return types.join(" or ");
  }

  /** One of several, on a line. */
  shapeOf(schema, without) {
    const members = Object.entries(schema.properties ?? {}).filter(([name]) => !without.includes(name));
    const texts = members.map(([name, each]) => {
      const optional = schema.required?.includes(name) === true ? "" : "?";
      return `${name}${optional}${each.const === undefined ? "" : `: ${JSON.stringify(each.const)}`}`;
    });
    return `\`{ ${texts.join(", ")} }\``;
  }

  resolve(value) {
    return value.$ref === undefined ? value : this.document.components.parameters[value.$ref.split("/").at(-1)];
  }
}

function nameOf(method, path, operation) {
  return `${operation["x-svc-any-method"] === true ? "ANY" : method.toUpperCase()} ${path}`;
}

function mark(isRequired) {
  return isRequired === true ? "" : " ?";
}

/** Its words, bounds and what it is when it is left out. */
function described(schema) {
  const { minimum, maximum, maxLength, maxItems } = schema;
  const bounds = [
    minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}.` : undefined,
    minimum !== undefined && maximum === undefined ? `At least ${minimum}.` : undefined,
    maxLength === undefined ? undefined : `At most ${maxLength} characters.`,
    maxItems === undefined ? undefined : `At most ${maxItems}.`,
    schema.default === undefined ? undefined : `Default \`${JSON.stringify(schema.default)}\`.`,
  ];
  return [schema.description, ...bounds].filter((each) => each !== undefined).join(" ");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const here = dirname(fileURLToPath(import.meta.url));
  const page = join(here, "../http-api.md");
  const document = JSON.parse(readFileSync(join(here, "openapi.json"), "utf8"));
  writeFileSync(page, pageOf(document, readFileSync(page, "utf8")));
}
