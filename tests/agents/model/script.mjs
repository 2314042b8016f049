// What the scripted model says. A file in tests/agents/scripts is
//   { "prompt": what the user asks, "turns": [ { "expects"?: pattern, ...what to do } ] }
// with one turn for each time that the agent asks the model. `expects` is looked for in the result of the call before; its named
// groups fill {{name}} in what follows. What to do is one of
//   "call" + "arguments": a tool by its own name, whatever the agent has made of it · "shell" (+ "arguments" of that tool): a command line, with the agent's own
//   tool for that · "skill": reads a skill the way the agent does · "answer": text, which ends the turn · "pieces": the same, said one by
//   one · "fails": the API answers with an error of these words · "hangs": it does not answer before the agent leaves.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const kShells = /^(bash|shell|shell_command|exec_command|run_shell_command)$/i;
/** Some agents tell the model only the names of most tools, and describe those that it asks for. */
const kSearchTools = /^tool_?search$/i;
const kSkillTools = /^(skill|activate_skill)$/i;

export function readScript(name) {
  return new Script(JSON.parse(readFileSync(join(import.meta.dirname, "../scripts", `${name}.json`), "utf8")));
}

/** Where the agent says that a skill is; roots may have short names, which a table explains. */
function pathOf(skill, text) {
  const [, root] = new RegExp(`([^\\s"'()<>\`]+)/${skill}/SKILL\\.md`).exec(text) ?? [];
  const [, folder = root] = root === undefined ? [] : (new RegExp(`\`${root}\` = \`([^\`]+)\``).exec(text) ?? []);
  return folder && `${folder}/${skill}/SKILL.md`;
}

export class Script {
  problems = [];
  /** How many of its turns the agent has come to. */
  reached = 0;
  #groups = {};

  constructor({ prompt, turns }) {
    this.prompt = prompt;
    this.turns = turns;
  }

  get isFinished() {
    return this.reached === this.turns.length;
  }
  get answer() {
    return this.#fill(this.turns.at(-1).answer);
  }

  /** `{ said, tools: { name, namespace, parameters }[], uses: { name, arguments, result }[], text }` → `{ text }` or `{ call }`. */
  turn({ said, tools, uses, text }) {
    // Titles and the like are asked for without tools, or in a conversation of their own.
    if (!said.includes(this.prompt) || tools.length === 0) {
      return { text: "Todos" };
    }
    const isSearch = ({ name }) => kSearchTools.test(name);
    const searched = uses.filter(isSearch).map((use) => use.arguments.query);
    const results = uses.filter((use) => !isSearch(use)).map(({ result }) => result);
    const turn = this.turns[results.length];
    if (turn === undefined) {
      return this.#stop(`asked for turn ${results.length + 1} of ${this.turns.length}`);
    }
    if (turn.expects !== undefined) {
      // The text of a skill follows its call in ways of its own.
      const where = this.turns[results.length - 1]?.skill === undefined ? (results.at(-1) ?? "") : `${results.at(-1)}\n${text}`;
      const found = new RegExp(turn.expects, "s").exec(where);
      if (found === null) {
        return this.#stop(`turn ${results.length + 1} expects /${turn.expects}/, the result was: ${results.at(-1)}`);
      }
      Object.assign(this.#groups, found.groups);
    }
    this.reached = Math.max(this.reached, results.length + 1);
    return this.#act(turn, { tools, searched, text });
  }

  #act(turn, { tools, searched, text }) {
    if (turn.pieces !== undefined) {
      return { text: turn.pieces.join(""), pieces: turn.pieces, between: turn.between };
    }
    if (turn.fails !== undefined || turn.hangs !== undefined) {
      return turn;
    }
    if (turn.answer !== undefined) {
      return { text: this.#fill(turn.answer) };
    }
    if (turn.shell !== undefined) {
      return this.#shell(tools, this.#fill(turn.shell), turn.arguments);
    }
    if (turn.skill !== undefined) {
      return this.#skill(tools, turn.skill, text);
    }
    const filled = JSON.parse(this.#fill(JSON.stringify(turn.arguments ?? {})));
    const tool = tools.find(({ name }) => new RegExp(`(^|[_-])${turn.call}$`).test(name));
    return tool ? { call: { ...tool, arguments: filled } } : this.#hidden(turn.call, filled, { tools, searched, text });
  }

  /** A tool that is there by name: it is searched for, then called, by itself or through a tool for that. */
  #hidden(wanted, filled, { tools, searched, text }) {
    const search = tools.find(({ name }) => kSearchTools.test(name));
    const name = new RegExp(`\\w+__${wanted}\\b`).exec(text)?.[0];
    if (!search || !name) {
      return this.#stop(`the agent offers no tool ${wanted}, but: ${tools.map((tool) => tool.name).join(" ")}`);
    }
    if (!searched.some((query) => query === `select:${name}`)) {
      return { call: { ...search, arguments: { query: `select:${name}`, max_results: 5 } } };
    }
    const bridge = tools.find((tool) => tool.name === "tool_call");
    return { call: bridge ? { ...bridge, arguments: { name, arguments: filled } } : { name, arguments: filled } };
  }

  #shell(tools, command, more) {
    const tool = tools.find(({ name }) => kShells.test(name));
    if (!tool) {
      return this.#stop(`the agent offers no shell, but: ${tools.map(({ name }) => name).join(" ")}`);
    }
    const { properties = {}, required = [] } = tool.parameters ?? {};
    const member = "cmd" in properties ? "cmd" : "command";
    const filled = { ...more, [member]: properties[member]?.type === "array" ? ["bash", "-c", command] : command };
    for (const name of required) {
      filled[name] ??= properties[name]?.type === "boolean" ? false : properties[name]?.type === "number" ? 60_000 : "Runs svc";
    }
    return { call: { ...tool, arguments: filled } };
  }

  #skill(tools, skill, text) {
    const tool = tools.find(({ name }) => kSkillTools.test(name));
    if (tool) {
      const [member = "skill"] = tool.parameters?.required ?? Object.keys(tool.parameters?.properties ?? {});
      return { call: { ...tool, arguments: { [member]: skill } } };
    }
    const path = pathOf(skill, text);
    return path ? this.#shell(tools, `cat ${path}`) : this.#stop(`the agent says nothing of the skill ${skill}`);
  }

  #fill(text) {
    return text.replace(/\{\{(\w+)\}\}/g, (_all, name) => this.#groups[name] ?? `(no ${name})`);
  }

  #stop(problem) {
    this.problems.push(problem);
    return { text: `The script of this model ends here: ${problem}` };
  }
}

/** Several scripts after one another, in one conversation: what an agent has done for an earlier prompt is not the script's. */
export class Talk {
  #script = new Script({ prompt: "nothing is said yet", turns: [] });
  #before;

  /** The next prompt, also when it is one that was there before. */
  follow(script) {
    this.#script = script;
    this.#before = undefined;
  }
  get problems() {
    return this.#script.problems;
  }
  turn(request) {
    if (request.tools.length > 0 && request.said.includes(this.#script.prompt)) {
      this.#before ??= request.uses.length;
    }
    return this.#script.turn({ ...request, uses: request.uses.slice(this.#before ?? 0) });
  }
}
