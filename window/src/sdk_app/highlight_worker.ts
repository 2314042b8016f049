// The worker that colours code: what takes too long is ended with it, and the page goes on meanwhile.
import { runHighlightJob } from "./highlight_jobs";
import type { HighlightJob } from "./highlighter";

self.addEventListener(
  "message",
  ({ data }: MessageEvent<HighlightJob>) => void runHighlightJob(data, (answer) => self.postMessage(answer)),
);
