// Does what a page of the documentation tells its reader, in a home directory of its own, and compares what it shows.
//
// ```sh             typed in a shell; the directory it ends in is where the next one starts
// ```diff <file>    an edit: the lines of the context and those with "-" are in the file once, those with "+" replace the latter
// ```text           somebody else's terminal: nothing is done
// ```               what the step before printed: its lines are there, in this order. One that says "failed" belongs to a command that fails,
//                   one that ends a question with "y" to a command that is typed on a terminal
//
// `svc plugin dev` stays open like the second terminal it is shown in: an edit is followed by the line it prints.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const kDevCommand = "svc plugin dev";
const kShownHome = "/home/ada";
const kShownAddress = "127.0.0.1:4700";

/** The fenced blocks of a page: { kind: "sh" | "edit" | "output", text, file, where }. */
export function stepsOf(page) {
  const lines = readFileSync(page, "utf8").split("\n");
  const steps = [];
  for (let at = 0; at < lines.length; ++at) {
    const [, language, file] = /^```(\w*) ?(\S*)$/.exec(lines[at]) ?? [];
    if (language === undefined) {
      continue;
    }
    const line = at + 1;
    const end = lines.indexOf("```", line);
    const text = lines.slice(line, end).join("\n");
    at = end;
    if (language === "text") {
      continue;
    }
    const kind = { sh: "sh", diff: "edit", "": "output" }[language];
    assert.ok(kind, `${page}:${line}: a block of ${language} is neither a command, an edit nor what one printed`);
    steps.push({ kind, text, file, where: `${page}:${line}` });
  }
  return steps;
}

export class Walkthrough {
  #env;
  #home;
  #directory;
  #address = kShownAddress;
  #dev;

  /** `env` has the PATH with svc on it; `home` is where the reader starts. */
  constructor(home, env) {
    this.#home = home;
    this.#directory = home;
    this.#env = { ...env, HOME: home, NO_COLOR: "1" };
  }

  /** Performs the steps in their order. */
  async perform(steps) {
    for (const [at, step] of steps.entries()) {
      const next = steps[at + 1];
      const expected = next?.kind === "output" ? next : undefined;
      if (step.kind === "edit") {
        await this.#edit(step, expected);
      } else if (step.kind === "sh") {
        await this.#type(step, expected);
      }
    }
  }

  async #type(step, expected) {
    if (step.text === kDevCommand) {
      await this.#startDev(expected);
      return;
    }
    const { output, code } = await this.run(step.text, /\[y\/N\] y$/m.test(expected?.text ?? ""));
    const failed = code !== 0;
    assert.equal(failed, /\bfailed\b/.test(expected?.text ?? ""), `${step.where}: exit code ${code}\n${output}`);
    this.#compare(output, expected);
  }

  /** Types `text` into a shell, on a terminal where a question is answered with "y". */
  async run(text, onTerminal = false) {
    const script = `${text.replaceAll(kShownAddress, this.#address)}\nstatus=$?; pwd >&3; exit $status`;
    // Of script(1) only the terminal is wanted, and it hands on no third descriptor.
    const inTerminal = ["-qefc", `exec 3>"$WALKTHROUGH_PWD"; ${script}`, "/dev/null"];
    const pwd = join(this.#home, ".pwd");
    const argv = onTerminal ? ["script", inTerminal] : ["bash", ["-c", `exec 2>&1 3>"$WALKTHROUGH_PWD"; ${script}`]];
    const env = { ...this.#env, WALKTHROUGH_PWD: pwd, SHELL: "/bin/bash" };
    const child = spawn(...argv, { cwd: this.#directory, env, stdio: [onTerminal ? "pipe" : "ignore", "pipe", "inherit"] });
    let output = "";
    let asked = 0;
    child.stdout.setEncoding("utf8").on("data", (chunk) => {
      output += chunk;
      for (; onTerminal && output.split("[y/N] ").length - 1 > asked; ++asked) {
        child.stdin.write("y\n");
      }
    });
    const [code] = await once(child, "close");
    this.#directory = readFileSync(pwd, "utf8").trim();
    this.#address = /svcd (?:is running|already runs) at http:\/\/(\S+)/.exec(output)?.[1] ?? this.#address;
    return { output: this.#shown(output), code };
  }

  async #startDev(expected) {
    const child = spawn("bash", ["-c", `exec ${kDevCommand} 2>&1`], {
      cwd: this.#directory,
      env: this.#env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    this.#dev = { child, next: async () => (await lines.next()).value ?? assert.fail(`${kDevCommand} ended`) };
    const printed = [];
    for (const _ of expected.text.split("\n")) {
      printed.push(await this.#dev.next());
    }
    this.#compare(this.#shown(printed.join("\n")), expected);
  }

  /** As an editor saves: a new file is renamed over the old one. */
  async #edit({ text, file, where }, expected) {
    const path = join(this.#directory, file);
    const lines = text.split("\n");
    const side = (sign) => lines.filter((line) => line[0] === " " || line[0] === sign || line === "").map((line) => line.slice(1));
    const [before, after] = [side("-").join("\n"), side("+").join("\n")];
    const parts = `\n${readFileSync(path, "utf8")}`.split(`\n${before}\n`);
    assert.equal(parts.length, 2, `${where}: ${file} has ${parts.length - 1} places that read\n${before}`);
    writeFileSync(`${path}.new`, parts.join(`\n${after}\n`).slice(1));
    renameSync(`${path}.new`, path);
    if (this.#dev !== undefined && !file.startsWith("tests/")) {
      const line = await this.#dev.next();
      this.#compare(this.#shown(line), expected);
    }
  }

  #shown(text) {
    // On a terminal a line of progress is taken back before the next one is written.
    const kept = text.replaceAll("\r\n", "\n").replaceAll(/[^\n]*\r\x1b\[K/g, "");
    return kept.replaceAll(this.#home, kShownHome).replaceAll(this.#address, kShownAddress);
  }

  /** Numbers that differ from run to run are not compared. */
  #compare(output, expected) {
    if (expected === undefined) {
      return;
    }
    const comparable = (text) =>
      text.split("\n").map((line) =>
        line
          .trimEnd()
          .replaceAll(/\b[0-9a-f]{8}\b/g, "<id>")
          .replaceAll(/\b\d+(?= ?ms\b)|(?<=\bpid )\d+/g, "<n>"),
      );
    const printed = comparable(output);
    let from = 0;
    for (const line of comparable(expected.text)) {
      const at = printed.indexOf(line, from);
      assert.notEqual(at, -1, `${expected.where}: "${line}" is not what is printed\n${output}`);
      from = at + 1;
    }
  }

  async close() {
    if (this.#dev === undefined) {
      return;
    }
    const ended = once(this.#dev.child, "exit");
    this.#dev.child.kill("SIGTERM");
    await ended;
    this.#dev = undefined;
  }
}
