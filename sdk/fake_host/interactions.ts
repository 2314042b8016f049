/** Forms that `svc.ui.requestInput` opens and the test answers. */
import { type AskForInput, type InputRequest, requireFormCall } from "../../modules/agents/js/ui";
import { checkJson, describeViolation } from "../../modules/plugins/js/policy/strict_json";
import { messageOf } from "../../modules/plugins/js/policy/thrown";
import type { InputOutcome, JsonValue } from "../src/index";
import type { FakePendingInteraction } from "../src/testing";
import { kInputPayload, kInputTimeout } from "./limits";
import { failure } from "./runtime";

type Reason = Extract<InputOutcome, { outcome: "cancelled" }>["reason"];

interface Open {
  request: InputRequest;
  shown: FakePendingInteraction;
  end(outcome: InputOutcome): void;
}

export class Interactions {
  readonly #open = new Map<string, Open>();
  #last = 0;

  constructor(private readonly onFailure: (what: string, error: unknown) => void) {}

  get pending(): FakePendingInteraction[] {
    return [...this.#open.values()].map(({ shown }) => shown);
  }

  readonly ask: AskForInput = async (request, signal) => {
    if (request.threadId === null) {
      requireFormCall(signal);
    }
    return new Promise((resolve) => {
      const id = `int_${++this.#last}`;
      const leave = (): void => this.cancel(id, "request-aborted");
      const end = (outcome: InputOutcome): void => {
        this.#open.delete(id);
        signal?.removeEventListener("abort", leave);
        resolve(outcome);
      };
      this.#open.set(id, { request, shown: shown(id, request), end });
      signal?.addEventListener("abort", leave);
      if (signal?.aborted === true) {
        leave();
      }
    });
  };

  async submit(id: string, value: unknown): Promise<object | null> {
    const open = this.#find(id);
    const violation = checkJson(value);
    if (violation !== null) {
      throw failure("invalid_input", `the answer is not JSON: ${describeViolation("answer", violation)}`);
    }
    const text = JSON.stringify(value);
    const bytes = Buffer.byteLength(text);
    if (bytes > kInputPayload) {
      throw failure("too_large", `the answer has ${bytes} bytes as JSON, the limit inputPayload is ${kInputPayload}`);
    }
    open.end({ outcome: "submitted", value: JSON.parse(text) as JsonValue });
    return this.#describe(open, JSON.parse(text));
  }

  cancel(id: string, reason: Reason = "user"): void {
    this.#find(id).end({ outcome: "cancelled", reason });
  }

  cancelAll(reason: Reason): void {
    for (const { end } of [...this.#open.values()]) {
      end({ outcome: "cancelled", reason });
    }
  }

  #find(id: string): Open {
    const open = this.#open.get(id);
    if (open === undefined) {
      throw failure("not_found", `no form "${id}" is open`);
    }
    return open;
  }

  /** A description that fails leaves the answer alone. */
  async #describe({ request }: Open, value: unknown): Promise<object | null> {
    if (request.describeSubmission === undefined) {
      return null;
    }
    try {
      const described = await request.describeSubmission(value);
      return typeof described === "object" ? described : null;
    } catch (error) {
      this.onFailure(`ui.requestInput: describeSubmission failed: ${messageOf(error)}`, error);
      return null;
    }
  }
}

function shown(id: string, request: InputRequest): FakePendingInteraction {
  const { threadId, rendererId, title, payload, presentation, timeoutMs = kInputTimeout } = request;
  // A copy: what is shown does not follow what the plugin does with its object.
  return JSON.parse(JSON.stringify({ id, threadId, rendererId, title, payload, timeoutMs, presentation })) as FakePendingInteraction;
}
