import { createStore } from "@/lib/store";

/** How many threads wait for an answer or were not read since something came of them. */
export const attentionCount = createStore(0);
