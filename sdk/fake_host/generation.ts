/** One load of the plugin: the parts of the service on a fake runtime, and what they have told it. */
import { tmpdir } from "node:os";
import { join } from "node:path";

import agentsPart from "../../modules/agents/js/agents";
import cliPart from "../../modules/cli/js/cli";
import databasePart from "../../modules/database/js/database";
import hostsPart from "../../modules/hosts/js/hosts";
import corePart from "../../modules/plugins/js/core";
import type { PluginApi, SvcUnderConstruction } from "../../modules/plugins/js/plugin_api";
import realtimePart from "../../modules/realtime/js/realtime";
import httpPart from "../../modules/routes/js/http";
import rpcPart from "../../modules/rpc/js/rpc";
import sdkPart from "../../modules/sdkclient/js/sdk";
import type { SvcPluginApi } from "../src/api";
import type { FakeToolProgress } from "../src/testing/behavior";
import type { FakeRegistrations } from "../src/testing/inspection";
import { checkCron } from "./cron";
import { databaseFunctions, type DatabaseFile } from "./database";
import { FakeHosts } from "./hosts";
import { HttpRoutes, kBaseUrl, type Invoke } from "./http";
import { Interactions } from "./interactions";
import { kKvKey, kKvValue, kSettingValue } from "./limits";
import { failure, FakeRuntime, noFunctions, type HostFunctions } from "./runtime";
import { sdkCarrier } from "./sdk";
import type { Level, Shared } from "./shared";
import { SocketRoutes } from "./sockets";
import { pointingAtTheCaller } from "./stacks";
import { kvFunctions, settingsFunctions } from "./storage";

/** Failures that are the caller's: the server neither counts nor logs them. */
const kCallerFailures = ["invalid_input", "invalid_json", "unknown_method", "unknown_command", "too_large", "aborted"];

/** Only a name: nothing is there. */
const kDataDir = join(tmpdir(), "svc-plugin-test");

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

const kMembers = Object.keys({
  pluginId: true,
  log: true,
  storage: true,
  http: true,
  rpc: true,
  realtime: true,
  background: true,
  cli: true,
  settings: true,
  agents: true,
  ui: true,
  events: true,
  experimental_hooks: true,
  hosts: true,
  providers: true,
  sdk: true,
  experimental_environments: true,
  experimental_machines: true,
  experimental_serverAccess: true,
  experimental_aiServices: true,
  status: true,
  server: true,
  onDispose: true,
  onInstall: true,
} satisfies Record<keyof SvcPluginApi, true>);

function isComplete(svc: SvcUnderConstruction): svc is SvcPluginApi {
  return kMembers.every((member) => member in svc);
}

export class Generation {
  readonly runtime: FakeRuntime;
  readonly api: PluginApi;
  readonly http: HttpRoutes;
  readonly sockets: SocketRoutes;
  readonly hosts: FakeHosts;
  readonly interactions: Interactions;
  readonly problems: { code: string; message: string }[] = [];
  readonly unsupported: string[] = [];
  readonly services: string[] = [];
  needsConfiguration: string | undefined;
  #cli: FakeRegistrations["cli"] = null;
  readonly #registrations = new Map<string, unknown>();
  readonly #eventHandlers = new Map<number, string>();
  readonly #listeners = new Map<number, (report: FakeToolProgress) => void>();
  #lastListener = 0;
  #open = 0;
  #idle: (() => void)[] = [];
  #ended = false;

  constructor(
    private readonly shared: Shared,
    private readonly file: DatabaseFile,
  ) {
    const invoke: Invoke = (...call) => this.invoke(...call);
    this.http = new HttpRoutes(shared.pluginId, invoke);
    this.sockets = new SocketRoutes(shared.pluginId, invoke);
    this.hosts = new FakeHosts(shared.options.experimental_callHostRpc, (error) => this.svc.log.error(error));
    this.interactions = new Interactions((what, error) => this.log("error", what, this.runtime.formatStack(error)));
    this.runtime = new FakeRuntime(this.#functions());
    this.api = {} as PluginApi;
    corePart(this.runtime, this.api as Mutable<PluginApi>);
    const { fail } = this.api;
    this.api.fail = (member, what) => pointingAtTheCaller(() => fail(member, what));
    for (const part of [rpcPart, httpPart, realtimePart, cliPart, databasePart]) {
      part(this.runtime, this.api);
    }
    agentsPart(this.runtime, this.api, { ask: this.interactions.ask });
    hostsPart(this.runtime, this.api, this.hosts);
    sdkPart(this.runtime, this.api, sdkCarrier(shared));
  }

  /** What a factory is given. */
  get svc(): SvcPluginApi {
    const { svc } = this.api;
    if (!isComplete(svc)) {
      throw new Error("the fake host lacks a part of the svc object");
    }
    return svc;
  }
  get pluginId(): string {
    return this.shared.pluginId;
  }
  get ended(): boolean {
    return this.#ended;
  }

  log(level: Level, message: string, stack?: string): void {
    this.shared.write(level, message, stack);
  }

  /** Of calls of tools, by the number that the call is given. */
  listen(listener: (report: FakeToolProgress) => void): number {
    this.#listeners.set(++this.#lastListener, listener);
    return this.#lastListener;
  }
  unlisten(call: number | undefined): void {
    if (call !== undefined) {
      this.#listeners.delete(call);
    }
  }

  /** The ids of those that listen to the event. */
  handlersOf(event: string): number[] {
    return [...this.#eventHandlers].flatMap(([id, name]) => (name === event ? [id] : []));
  }

  registration<T>(kind: string): T | undefined {
    return this.#registrations.get(kind) as T | undefined;
  }

  get registrations(): FakeRegistrations {
    const settings = this.registration<{ schema: FakeRegistrations["settingsDescriptors"] }>("settings");
    const events = new Set(this.#eventHandlers.values());
    const list = <T>(kind: string): T[] => this.registration<T[]>(kind) ?? [];
    return structuredClone({
      rpcMethods: list<{ method: string }>("rpc").map(({ method }) => method),
      httpRoutes: this.http.routes,
      webSocketRoutes: this.sockets.routes,
      cli: this.#cli,
      agentTools: list<FakeRegistrations["agentTools"][number]>("agent-tools"),
      services: this.services,
      schedules: list<FakeRegistrations["schedules"][number]>("schedules"),
      settingsDescriptors: settings?.schema ?? {},
      threadEventHandlers: Object.fromEntries([...events].map((name) => [name, this.handlersOf(name).length])),
      mentionProviders: list<FakeRegistrations["mentionProviders"][number]>("mention-providers"),
      hooks: list<string>("hooks"),
      providers: list<FakeRegistrations["providers"][number]>("providers"),
      sharedPorts: Object.fromEntries(this.hosts.sharedPorts),
    });
  }

  /** Calls the plugin as the service does: failures of its code are logged, and the call is waited for at the end. */
  async invoke(source: string, name: string, meta: string, body: string | Uint8Array, signal?: AbortSignal): Promise<string> {
    if (this.#ended) {
      throw this.notRunning();
    }
    this.#open += 1;
    try {
      return await this.runtime.invoke(name, meta, body, signal);
    } catch (error) {
      const failed = error as Error & { code?: string; cause?: unknown; details?: object };
      this.#logFailure(source, failed);
      throw Object.assign(failed, { details: { ...failed.details, pluginId: this.pluginId } });
    } finally {
      this.#open -= 1;
      if (this.#open === 0) {
        for (const done of this.#idle.splice(0)) {
          done();
        }
      }
    }
  }

  /** Runs the factory to its end; rejects with `load_failed` and, as cause, what it threw. */
  async load(factory: unknown): Promise<void> {
    let cause: unknown;
    const run = async (svc: unknown): Promise<unknown> => {
      try {
        return await (factory as (svc: unknown) => unknown)(svc);
      } catch (thrown) {
        cause = thrown;
        throw thrown;
      }
    };
    this.runtime.loadModule = async () => ({ default: typeof factory === "function" ? run : factory });
    try {
      // The path of the entry only serves to shorten stacks.
      await this.runtime.invoke("plugin.load", "\0/", "");
    } catch (error) {
      throw failure("load_failed", (error as Error).message, { cause });
    }
  }

  whenIdle(): Promise<void> {
    return this.#open === 0 ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve));
  }

  async end(): Promise<void> {
    await this.runtime.invoke("plugin.invalidate", "", "");
    this.#ended = true;
  }

  notRunning(): Error {
    const message = `plugin "${this.pluginId}" is not running (status disabled)`;
    return failure("plugin_not_running", message, { details: { pluginId: this.pluginId, status: "disabled" } });
  }

  #logFailure(source: string, { code = "", message, cause }: Error & { code?: string; cause?: unknown }): void {
    if (kCallerFailures.includes(code) || (cause as { name?: unknown } | undefined)?.name === "AbortError") {
      return;
    }
    this.log("error", failureLine(source, message), cause === undefined ? undefined : this.runtime.formatStack(cause));
  }

  #functions(): HostFunctions {
    const { shared } = this;
    const { hasHostEntry = shared.options.experimental_callHostRpc !== undefined } = shared.options;
    const own: HostFunctions = {
      ...noFunctions(),
      sync: {
        "core.config": () =>
          JSON.stringify({
            pluginId: this.pluginId,
            dataDir: kDataDir,
            kvKey: kKvKey,
            kvValue: kKvValue,
            settingValue: kSettingValue,
          }),
        "core.baseUrl": () => JSON.stringify(kBaseUrl),
        "core.appUrl": () => '""',
        "core.log": (argument) => {
          const { level, message, stack } = JSON.parse(argument) as { level: Level; message: string; stack?: string };
          this.log(level, message, stack);
        },
        "core.problem": (argument) => {
          const problem = JSON.parse(argument) as { code: string; message: string };
          this.problems.push(problem);
          this.log("warn", problem.message);
        },
        "core.unsupported": (argument) => {
          const member = JSON.parse(argument) as string;
          if (!this.unsupported.includes(member)) {
            this.unsupported.push(member);
          }
        },
        "core.register": (argument) => {
          const { kind, value } = JSON.parse(argument) as { kind: string; value: unknown };
          this.#registrations.set(kind, value);
        },
        "core.needsConfiguration": (argument) => {
          this.needsConfiguration = (JSON.parse(argument) as string) || "the plugin needs configuration";
        },
        "service.register": (name) => void this.services.push(name),
        "schedule.check": checkCron,
        "schedule.registered": () => undefined,
        "cli.registered": (argument) => void (this.#cli = JSON.parse(argument) as FakeRegistrations["cli"]),
        // The ids of other plugins are the service's matter.
        "providers.refusal": (id) => (hasHostEntry ? undefined : `provider "${id}" needs a host entry (svc.host in package.json)`),
        "agents.isServed": () => "yes",
        "tools.progress": (argument) => {
          const { call, ...report } = JSON.parse(argument) as FakeToolProgress & { call: number };
          this.#listeners.get(call)?.(report);
        },
        "tools.changed": () => undefined,
        "events.on": (argument) => {
          const { event, id } = JSON.parse(argument) as { event: string; id: number };
          this.#eventHandlers.set(id, event);
        },
        "events.off": (argument) => void this.#eventHandlers.delete((JSON.parse(argument) as { id: number }).id),
        "hooks.recheck": (argument) => void shared.hookRechecks.push(JSON.parse(argument) as string),
        "realtime.publish": (argument) => {
          const line = argument.indexOf("\n");
          const [channel, payload] = [argument.slice(0, line), argument.slice(line + 1)].map((text) => JSON.parse(text));
          shared.signals.push({ channel, payload });
        },
      },
    };
    return merged([
      own,
      kvFunctions(shared),
      settingsFunctions(shared),
      databaseFunctions(this.file),
      this.http.functions(),
      this.sockets.functions(),
    ]);
  }
}

function merged(all: HostFunctions[]): HostFunctions {
  return {
    sync: Object.assign({}, ...all.map(({ sync }) => sync)),
    async: Object.assign({}, ...all.map(({ async }) => async)),
    transfer: Object.assign({}, ...all.map(({ transfer }) => transfer)),
  };
}

/** As the service: messages that name what has failed are not said to have failed once more. */
function failureLine(source: string, message: string): string {
  const tool = source.startsWith("tool:") ? `Tool ${source.slice("tool:".length)} failed: ` : undefined;
  return message.startsWith(`${source} `)
    ? message
    : `${source} failed: ${tool !== undefined && message.startsWith(tool) ? message.slice(tool.length) : message}`;
}
