import { listed } from "./names.js";
import { positionalText } from "./parse.js";
import type { KnownCli, KnownCommand, KnownOption } from "./table.js";
import { durationText } from "./values.js";

/** `svc todo label add` */
export function calledAs(cli: KnownCli, path: string): string {
  return ["svc", cli.definition.name, path].filter((word) => word !== "").join(" ");
}

/** How to call a command: required options and positionals in full. */
export function usageOf(cli: KnownCli, known: KnownCommand): string {
  const required = known.options.filter(({ option }) => option.type !== "boolean" && option.required === true);
  const optional = known.options.some((each) => each.key !== "json" && !required.includes(each) && each.option.hidden !== true);
  return [
    calledAs(cli, known.path),
    ...known.positionals.map(positionalText),
    ...required.map((each) => `${each.flag} ${placeholder(each)}`),
    ...(optional ? ["[options]"] : []),
    ...(known.command.passthrough === true ? ["[-- …]"] : []),
  ].join(" ");
}

/** Help of the whole command, or of a group of commands that share their first words. */
export function groupHelp(cli: KnownCli, group: string): string {
  const { definition, root } = cli;
  const shown = cli.commands.filter(({ path, command }) => command.hidden !== true && (group === "" || path.startsWith(`${group} `)));
  const usages = shown.length > 0 ? [`${calledAs(cli, group)} <command> [options]`] : [];
  if (group === "" && root !== null) {
    usages.unshift(usageOf(cli, root));
  }
  const about = group === "" ? paragraphs(definition.summary, definition.description) : [];
  const rows = shown.map((known) => [[known.path, ...known.positionals.map(positionalText)].join(" "), known.command.summary]);
  return sections([
    usages.map((usage, index) => `${index === 0 ? "Usage:" : "      "} ${usage}`),
    about,
    ...(group === "" && root !== null ? argumentSections(root) : []),
    section("Commands:", rows),
    shown.length > 0 ? [`Run \`${calledAs(cli, group)} <command> --help\` for the options of a command.`] : [],
  ]);
}

export function commandHelp(cli: KnownCli, known: KnownCommand): string {
  const { summary, description, aliases } = known.command;
  return sections([
    [`Usage: ${usageOf(cli, known)}`],
    paragraphs(summary, description),
    aliases !== undefined && aliases.length > 0 ? [`Also: ${aliases.map((alias: string) => calledAs(cli, alias)).join(", ")}`] : [],
    ...argumentSections(known),
  ]);
}

function argumentSections(known: KnownCommand): string[][] {
  const options = known.options.filter(({ option }) => option.hidden !== true).map(optionRow);
  return [
    section(
      "Arguments:",
      known.positionals.map((each) => [positionalText(each), each.description]),
    ),
    section("Options:", [...options, ["-h, --help", "Show this help"]]),
  ];
}

function optionRow(known: KnownOption): string[] {
  const { flag, option } = known;
  const names = [flag, ...(option.aliases ?? []).map((alias) => `--${alias}`)].join(", ");
  const value = option.type === "boolean" ? "" : ` ${placeholder(known)}`;
  const short = option.short === undefined ? "    " : `-${option.short}, `;
  const notes = notesOf(known);
  const text = [option.description ?? "", notes.length > 0 ? `(${notes.join("; ")})` : ""].filter((part) => part !== "");
  return [`${short}${names}${value}`, text.join(" ")];
}

function placeholder({ flag, option }: KnownOption): string {
  if (option.placeholder !== undefined) {
    return `<${option.placeholder}>`;
  }
  return `<${option.type === "enum" ? option.values.join("|") : flag.slice(2)}>`;
}

function notesOf({ flag, option }: KnownOption): string[] {
  if (option.type === "boolean") {
    return [];
  }
  const notes: string[] = [];
  if (option.required === true) {
    notes.push("required");
  }
  if (option.type === "string" && option.repeatable === true) {
    notes.push("repeatable");
  }
  if (option.type === "integer") {
    notes.push(...bounds(option, String));
  }
  if (option.type === "duration") {
    notes.push(...bounds(option, durationText));
  }
  if (option.default !== undefined) {
    const shown = option.type === "duration" ? durationText(option.default) : [option.default].flat().join(", ");
    notes.push(`default: ${shown}`);
  }
  if (option.stdin === true) {
    notes.push(`or ${flag}-stdin to read it from a pipe`);
  }
  return notes;
}

function bounds({ min, max }: { min?: number; max?: number }, show: (value: number) => string): string[] {
  const parts = [min === undefined ? "" : `at least ${show(min)}`, max === undefined ? "" : `at most ${show(max)}`];
  const given = parts.filter((part) => part !== "");
  return given.length === 0 ? [] : [listed(given, "and")];
}

function paragraphs(summary: string, description: string | undefined): string[] {
  return description === undefined ? [summary] : [summary, "", description];
}

/** A title over two columns; nothing when there are no rows. */
function section(title: string, rows: string[][]): string[] {
  if (rows.length === 0) {
    return [];
  }
  const width = Math.min(36, Math.max(...rows.map(([left = ""]) => left.length)));
  return [
    title,
    ...rows.flatMap(([left = "", right = ""]) => {
      if (right === "") {
        return [`  ${left}`];
      }
      if (left.length > width) {
        return [`  ${left}`, `  ${" ".repeat(width)}  ${right}`];
      }
      return [`  ${left.padEnd(width)}  ${right}`];
    }),
  ];
}

function sections(parts: string[][]): string {
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}
