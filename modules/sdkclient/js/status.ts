/** `status.get`: what `/readyz` says, with the records that the caller is about. */
type Members = Record<string, unknown>;

/** Another method of the same client. */
export type CallMethod = (path: string, argument: Members) => Promise<unknown>;

export async function readStatus(readiness: Members, call: CallMethod, { projectId, threadId, ...options }: Members): Promise<Members> {
  const { modules, plugins } = readiness;
  const thread = threadId == null ? null : ((await call("threads.get", { threadId, ...options })) as Members);
  const ofThread = thread === null ? null : await readThread(call, threadId, options);
  const project = projectId ?? thread?.projectId;
  return {
    ok: true,
    project: project == null ? null : await call("projects.get", { projectId: project, ...options }),
    thread,
    childThreads: ofThread?.childThreads ?? null,
    pendingTodos: ofThread?.pendingTodos ?? null,
    modules,
    plugins,
  };
}

async function readThread(call: CallMethod, threadId: unknown, options: Members): Promise<Members> {
  const childThreads = await call("threads.list", { parentThreadId: threadId, includeHidden: true, ...options });
  const timeline = (await call("threads.timeline", { threadId, summaryOnly: true, segmentLimit: 1, ...options })) as Members;
  return { childThreads, pendingTodos: timeline.pendingTodos ?? null };
}
