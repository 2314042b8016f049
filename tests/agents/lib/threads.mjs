// A server whose threads a real agent runs, started the way its preset says, with a model that follows scripts.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { writeFiles } from "./files.mjs";
import { nodeDirectory, program, ripgrepDirectory } from "./packages.mjs";
import { kBin, kProbe, kTodo, scratchHome, startService } from "./service.mjs";
import { until } from "./until.mjs";
import { startModel } from "../model_server.mjs";
import { Talk } from "../model/script.mjs";

const kTurnSeconds = 120;

/** What a user has on the PATH: the program of the preset, here with the variables that lead it to the model. */
function writeProgram(home, agent, variables) {
  const { name, file } = agent.acp;
  const lines = Object.entries(variables).map(([variable, value]) => `export ${variable}='${value}'`);
  writeFiles(home, {
    [`bin/${file}`]: ["#!/bin/sh", ...lines, `exec '${program(name, file)}' "$@"`, ""].join("\n"),
    // The daemon looks for agents on the PATH of a login shell.
    ".bash_profile": `export PATH="${[join(home, "bin"), nodeDirectory(), kBin, ripgrepDirectory()].join(":")}:$PATH"\n`,
  });
  chmodSync(join(home, "bin", file), 0o755);
}

/** Processes of the agent that the daemon of this home has started itself. */
function agentProcesses(home) {
  const textOf = (pid, file) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, "utf8");
    } catch {
      return "";
    }
  };
  const parentOf = (pid) => /\) \S (\d+)/.exec(textOf(pid, "stat"))?.[1];
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid) && textOf(parentOf(pid), "comm").startsWith("svc-hostd"))
    .filter((pid) => {
      const variables = textOf(pid, "environ").split("\0");
      return variables.includes(`HOME=${home}`) && variables.some((variable) => variable.startsWith("SVC_CLI="));
    })
    .map(Number);
}

export async function startThreads(agent, { gate }) {
  const home = scratchHome();
  const talk = new Talk();
  const model = await startModel(talk);
  writeProgram(home, agent, { ...agent.setUp({ home, model: model.url, asks: true }), ...gate.env });
  const service = await startService([kTodo, kProbe], { home, more: { ...gate.env, SHELL: "/bin/bash" } });
  const get = async (path) => {
    const answer = await fetch(`${service.url}/api/v1${path}`);
    return answer.json();
  };
  await service.mustRun("project", "create", "shop", service.work);

  const threads = {
    service,
    model,
    talk,
    id: undefined,
    processes: () => agentProcesses(home),
    /** What the daemon notes of agents that run, until it knows of their end. */
    marks: () => readdirSync(join(home, ".local/share/svc/hostd/agents")),
    kill() {
      const found = agentProcesses(home);
      if (found.length === 0) {
        throw new Error("there is no process of the agent to kill");
      }
      for (const pid of found) {
        process.kill(pid, "SIGKILL");
      }
    },
    provider: async () => (await get("/providers")).providers.find(({ id }) => id === agent.acp.provider),
    thread: async () => (await get(`/threads/${threads.id}`)).thread,
    events: async (type) => {
      const { events } = await get(`/threads/${threads.id}/events?limit=1000`);
      return events.filter((event) => type === undefined || event.type === type);
    },
    /** What waits for an answer of a person. */
    asked: async () => (await get(`/threads/${threads.id}/interactions`)).interactions.filter(({ status }) => status === "pending"),
    /** Runs `svc` and lets the caller see what it has printed so far. */
    begin(...args) {
      const child = spawn(join(kBin, "svc"), args, { env: service.env, cwd: service.work, stdio: ["ignore", "pipe", "pipe"] });
      const output = { stdout: "", stderr: "", all: "" };
      for (const name of ["stdout", "stderr"]) {
        child[name].setEncoding("utf8").on("data", (text) => {
          output[name] += text;
          output.all += text;
        });
      }
      const ended = once(child, "close").then(([status]) => ({ status, ...output }));
      return { output, ended, isOver: () => child.exitCode !== null };
    },
    /** Says the prompt of a script in the thread, follows the turn, answers what is asked. `onQuestion` sees a question while it waits. */
    async say(script, { verb = ["thread", "send", threads.id], answer = "yes", onQuestion } = {}) {
      talk.follow(script);
      const told = threads.begin(...verb, script.prompt, "--follow");
      return threads.followed(told, { answer, onQuestion });
    },
    async followed(told, { answer = "yes", onQuestion } = {}) {
      const questions = [];
      await until(
        `the turn (${told.output.all})`,
        async () => {
          for (const question of threads.id ? await threads.asked() : []) {
            if (!questions.some(({ id }) => id === question.id)) {
              questions.push(question);
              await onQuestion?.(question);
              await service.mustRun("thread", "answer", threads.id, question.id, answer);
            }
          }
          return told.isOver();
        },
        { seconds: kTurnSeconds },
      );
      return { ...(await told.ended), questions };
    },
    async close() {
      await service.close();
      model.close();
    },
  };
  return threads;
}
