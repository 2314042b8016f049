// A real svcd per test file: scratch data directory, free port, plugins installed through the real client.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

import { kRoot, type PluginDirectory } from "./plugins.js";

/** Where svcd, svc and the built window are; relative paths are relative to the repository. */
export const kBuild = resolve(kRoot, process.env.SVC_BUILD_DIR ?? "build/dev");
export const kSvc = join(kBuild, "bin/svc");
const kSvcd = join(kBuild, "bin/svcd");

const kReadyMs = 30_000;
const kStopMs = 15_000;
const kCommandMs = 60_000;

export interface CommandResult {
  status: number | null;
  stdout: string;
  stderr: string;
}

export interface Server {
  /** Where the window is, without a slash at the end. It stays the same over a restart. */
  readonly url: string;
  /** Everything of this server and its plugins; removed when it stops. */
  readonly scratch: string;
  readonly dataDir: string;
  /** `svc <args>`; a failure is a result, not an exception. */
  cli(...args: string[]): Promise<CommandResult>;
  /** `svc <args>` that must succeed; its stdout. */
  mustRun(...args: string[]): Promise<string>;
  install(plugin: PluginDirectory): Promise<void>;
  /** Loads the plugin again; resolves whatever comes of it. */
  reload(plugin: PluginDirectory): Promise<CommandResult>;
  /** `svc plugin dev`, until `stop()`. */
  dev(plugin: PluginDirectory): DevLoop;
  /** A request without a browser; `body` makes it a POST. */
  api<T>(path: string, body?: unknown, method?: string): Promise<T>;
  /** Ends the process and keeps the data. */
  stop(): Promise<void>;
  /** Starts again on the same port. */
  start(): Promise<void>;
  restart(): Promise<void>;
  /** Ends the process and removes everything. */
  close(): Promise<void>;
}

export interface DevLoop {
  /** The next line, or one printed already, that matches. */
  line(pattern: RegExp): Promise<string>;
  stop(): Promise<void>;
}

/** What servers have compiled of the runtime is the same for all of them. */
const kCompiled = "SVC_JSRUNTIME_CODE_CACHE";

export interface ServerOptions {
  /** Content of config.json. */
  config?: Record<string, unknown>;
}

export async function startServer(options: ServerOptions = {}): Promise<Server> {
  if (!existsSync(join(kBuild, "share/svc/window/index.html"))) {
    throw new Error(`${kBuild} holds no built window: build it first, or name another build with SVC_BUILD_DIR`);
  }
  const scratch = mkdtempSync(join(tmpdir(), "svc-e2e-"));
  const dataDir = join(scratch, "data");
  const own = Object.entries(process.env).filter(([name]) => name === kCompiled || !name.startsWith("SVC_"));
  // Shells of terminals read the profile at home: that of whoever runs the tests may be slow, or ask something.
  const env: NodeJS.ProcessEnv = {
    ...Object.fromEntries(own),
    HOME: join(scratch, "home"),
    XDG_CONFIG_HOME: join(scratch, "config"),
    NO_COLOR: "1",
  };
  mkdirSync(join(scratch, "home"));
  mkdirSync(join(scratch, "config/svc"), { recursive: true });
  writeFileSync(join(scratch, "config/svc/config.json"), JSON.stringify(options.config ?? {}));

  let child: ChildProcess | undefined;
  let url = "";
  const log: string[] = [];

  async function start(): Promise<void> {
    const listen = url === "" ? "127.0.0.1:0" : new URL(url).host;
    const started = spawn(kSvcd, ["--listen", listen, "--data-dir", dataDir], { env, stdio: ["ignore", "pipe", "pipe"] });
    child = started;
    const keep = (chunk: Buffer) => {
      log.push(chunk.toString());
      log.splice(0, Math.max(0, log.length - 200));
    };
    started.stderr.on("data", keep);
    url = await new Promise<string>((found, fail) => {
      const timer = setTimeout(() => fail(new Error(`svcd was not ready in time:\n${log.join("")}`)), kReadyMs);
      createInterface({ input: started.stdout }).on("line", (line) => {
        const match = /listening on (http:\/\/\S+)/.exec(line);
        if (match?.[1] !== undefined) {
          clearTimeout(timer);
          found(match[1]);
        }
      });
      started.once("exit", (code) => {
        clearTimeout(timer);
        fail(new Error(`svcd ended with ${code} before it was ready:\n${log.join("")}`));
      });
    });
  }

  async function stop(): Promise<void> {
    const running = child;
    child = undefined;
    if (running === undefined) {
      return;
    }
    if (running.exitCode !== null || running.signalCode !== null) {
      throw new Error(`svcd ended by itself (${running.signalCode ?? running.exitCode}):\n${log.join("")}`);
    }
    const exited = once(running, "exit");
    const force = setTimeout(() => running.kill("SIGKILL"), kStopMs);
    running.kill("SIGTERM");
    await exited;
    clearTimeout(force);
  }

  function cli(...args: string[]): Promise<CommandResult> {
    return new Promise((done, fail) => {
      const command = spawn(kSvc, args, { env: { ...env, SVC_SERVER_URL: url }, stdio: ["ignore", "pipe", "pipe"] });
      const timer = setTimeout(() => command.kill("SIGKILL"), kCommandMs);
      let stdout = "";
      let stderr = "";
      command.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
      command.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
      command.once("error", fail);
      command.once("close", (status) => {
        clearTimeout(timer);
        done({ status, stdout, stderr });
      });
    });
  }

  async function mustRun(...args: string[]): Promise<string> {
    const { status, stdout, stderr } = await cli(...args);
    if (status !== 0) {
      throw new Error(`svc ${args.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
    }
    return stdout;
  }

  function dev(plugin: PluginDirectory): DevLoop {
    const loop = spawn(kSvc, ["plugin", "dev", plugin.dir], { env: { ...env, SVC_SERVER_URL: url }, stdio: ["ignore", "pipe", "pipe"] });
    const exited = once(loop, "exit");
    const lines: string[] = [];
    let heard: () => void = () => undefined;
    createInterface({ input: loop.stdout }).on("line", (line) => {
      lines.push(line);
      heard();
    });
    loop.stderr.resume();
    return {
      line: (pattern) =>
        new Promise((found, fail) => {
          const timer = setTimeout(() => fail(new Error(`no line ${pattern}; it said:\n${lines.join("\n")}`)), kReadyMs);
          heard = () => {
            const match = lines.find((line) => pattern.test(line));
            if (match !== undefined) {
              clearTimeout(timer);
              found(match);
            }
          };
          heard();
        }),
      stop: async () => {
        loop.kill("SIGTERM");
        await exited;
      },
    };
  }

  await start();
  return {
    get url() {
      return url;
    },
    scratch,
    dataDir,
    cli,
    mustRun,
    install: async (plugin) => void (await mustRun("plugin", "install", "--yes", plugin.dir)),
    dev,
    reload: (plugin) => cli("plugin", "reload", plugin.id),
    api: async <T>(path: string, body?: unknown, method = body === undefined ? "GET" : "POST") => {
      const answer = await fetch(`${url}/api/v1${path}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
      });
      const text = await answer.text();
      if (!answer.ok) {
        throw new Error(`${method} ${path} was answered ${answer.status}: ${text}`);
      }
      return JSON.parse(text) as T;
    },
    stop,
    start,
    restart: async () => {
      await stop();
      await start();
    },
    close: async () => {
      try {
        await stop();
      } finally {
        rmSync(scratch, { recursive: true, force: true });
      }
    },
  };
}

/** Messages of a plugin's log, oldest first. */
export async function logMessages(server: Server, plugin: PluginDirectory): Promise<string[]> {
  const lines = (await server.mustRun("plugin", "logs", plugin.id, "-n", "100")).split("\n").filter(Boolean);
  return lines.map((line) => (JSON.parse(line) as { message: string }).message);
}

/** The text of a file below the data directory; empty when there is none. */
export function dataFile(server: Server, path: string): string {
  const file = join(server.dataDir, path);
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}
