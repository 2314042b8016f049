import { runHighlightJob } from "@/sdk_app/highlight_jobs";
import type { HighlightAnswer, HighlightJob, HighlightWorker } from "@/sdk_app/highlighter";

/** What colours code, without a thread of its own. Its answers are copies, as those of a worker are. */
export class InProcessWorker implements HighlightWorker {
  #message: (event: { data: HighlightAnswer }) => void = () => undefined;

  addEventListener(type: string, listener: never): void {
    if (type === "message") {
      this.#message = listener;
    }
  }
  postMessage(job: HighlightJob): void {
    void runHighlightJob(job, (answer) => this.#message({ data: structuredClone(answer) }));
  }
  terminate(): void {
    this.#message = () => undefined;
  }
}
