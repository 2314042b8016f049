/**
 * The methods of `svc.sdk`, one line each: path, HTTP method, route below /api/v1, members of the argument that are
 * required, and after ">" the member of the answer that is returned (without it: the whole answer).
 *
 * In a route ":x" is the member x of the argument, ":x~" defaults to the calling plugin, "[/:x]" is left out without it, "?a=x"
 * sends member x as query parameter a, "?*=x" the members of the object x, "&a=x" member x as member a of the body. "@x" is a
 * required member that may also be the whole argument. Every other member goes into the query of GET and DELETE, and into the body
 * of the rest; behind "!" into that of DELETE, too.
 */
const kTable = `
threads.get GET /threads/:threadId > thread
threads.list GET /threads > threads
threads.spawn POST /threads projectId > thread
threads.fork POST /threads/fork sourceThreadId > thread
threads.update PATCH /threads/:threadId > thread
threads.delete DELETE /threads/:threadId
threads.send POST /threads/:threadId/send input mode
threads.retry POST /threads/:threadId/retry
threads.stop POST /threads/:threadId/stop
threads.archive POST /threads/:threadId/archive
threads.archiveAll POST /threads/:threadId/archive-all
threads.unarchive POST /threads/:threadId/unarchive
threads.compact POST /threads/:threadId/compact
threads.pin POST /threads/:threadId/pin > thread
threads.unpin POST /threads/:threadId/unpin > thread
threads.markRead POST /threads/:threadId/mark-read > thread
threads.markUnread POST /threads/:threadId/mark-unread > thread
threads.reorderPinned POST /threads/reorder-pinned threadId > threads
threads.search GET /threads/search query
threads.resolveMentions POST /threads/resolve-mentions threadIds > threads
threads.open POST /threads/:threadId/open
threads.editMessage POST /threads/:threadId/edit-message operationId input
threads.output GET /threads/:threadId/output
threads.defaultExecutionOptions GET /threads/:threadId/default-execution-options > options
threads.childSummary GET /threads/:threadId/child-summary
threads.timeline GET /threads/:threadId/timeline
threads.timelineTurnSummaryDetails GET /threads/:threadId/timeline/turns/:turnId sourceSeqStart sourceSeqEnd
threads.conversationOutline GET /threads/:threadId/conversation-outline
threads.promptHistory GET /threads/:threadId/prompt-history > entries
threads.getPluginMetadata GET /threads/:threadId/plugin-metadata/:pluginId~ > metadata
threads.updatePluginMetadata PUT /threads/:threadId/plugin-metadata/:pluginId~ metadata > metadata
threads.storageFiles GET /threads/:threadId/storage-files
threads.storagePaths GET /threads/:threadId/storage-paths
threads.storageLocation GET /threads/:threadId/storage-location
threads.events.list GET /threads/:threadId/events > events
threads.events.wait GET /threads/:threadId/events/wait type waitMs > event
threads.interactions.list GET /threads/:threadId/interactions > interactions
threads.interactions.get GET /threads/:threadId/interactions/:interactionId > interaction
threads.interactions.resolve POST /threads/:threadId/interactions/:interactionId/resolve > interaction
threads.interactions.respond POST /threads/:threadId/interactions/:interactionId/respond value > interaction
threads.interactions.cancel POST /threads/:threadId/interactions/:interactionId/cancel > interaction
threads.queuedMessages.list GET /threads/:threadId/queued-messages > queuedMessages
threads.queuedMessages.create POST /threads/:threadId/queued-messages input > queuedMessage
threads.queuedMessages.update PATCH /threads/:threadId/queued-messages/:queuedMessageId > queuedMessage
threads.queuedMessages.delete DELETE /threads/:threadId/queued-messages/:queuedMessageId
threads.queuedMessages.send POST /threads/:threadId/queued-messages/:queuedMessageId/send
threads.queuedMessages.reorder POST /threads/:threadId/queued-messages/:queuedMessageId/reorder > queuedMessages
threads.queuedMessages.setGroupBoundary POST /threads/:threadId/queued-messages/group-boundary > queuedMessages
threads.tabs.get GET /threads/:threadId/tabs
threads.tabs.update PUT /threads/:threadId/tabs expectedRevision tabs
threadSections.list GET /thread-sections > threadSections
threadSections.create POST /thread-sections name > threadSection
threadSections.update PATCH /thread-sections/:id name
threadSections.delete DELETE /thread-sections/:id
projects.list GET /projects > projects
projects.get GET /projects/:projectId > project
projects.create POST /projects name source > project
projects.update PATCH /projects/:projectId > project
projects.delete DELETE /projects/:projectId
projects.reorder POST /projects/reorder projectId > projects
projects.files GET /projects/:projectId/files
projects.paths GET /projects/:projectId/paths
projects.fileContent GET /projects/:projectId/file-content path
projects.branches GET /projects/:projectId/branches
projects.commands GET /projects/:projectId/commands provider
projects.defaultExecutionOptions GET /projects/:projectId/default-execution-options > options
projects.promptHistory GET /projects/:projectId/prompt-history > entries
projects.sources.add POST /projects/:projectId/sources type > source
projects.sources.update PATCH /projects/:projectId/sources/:sourceId > source
projects.sources.delete DELETE /projects/:projectId/sources/:sourceId
projects.attachments.copy POST /projects/:projectId/attachments/copy sourceProjectId paths
environments.get GET /environments/:environmentId > environment
environments.list GET /environments > environments
environments.listProviders GET /environments/providers > providers
environments.update PATCH /environments/:environmentId > environment
environments.delete DELETE /environments/:environmentId
environments.status GET /environments/:environmentId/status
environments.paths GET /environments/:environmentId/paths
environments.diff GET /environments/:environmentId/diff
environments.diffFiles GET /environments/:environmentId/diff-files
environments.diffPatch POST /environments/:environmentId/diff-patch paths target
environments.diffFile GET /environments/:environmentId/diff-file path
environments.diffBranches GET /environments/:environmentId/diff-branches
environments.commit POST /environments/:environmentId/commit
environments.archiveThreads POST /environments/:environmentId/archive-threads
environments.pullRequest GET /environments/:environmentId/pull-request
hosts.list GET /hosts > hosts
hosts.get GET /hosts/:hostId > host
hosts.update PATCH /hosts/:hostId > host
hosts.delete DELETE /hosts/:hostId
hosts.createJoinCode POST /hosts/join-codes
hosts.listProviders GET /hosts/providers > providers
hosts.directory GET /hosts/:hostId/directory
hosts.pathsExist POST /hosts/:hostId/paths-exist paths
hosts.cloneDefaultPath GET /hosts/:hostId/clone-default-path
providers.list GET /providers > providers
providers.models GET /providers/models
terminals.list GET /terminals?*=scope
terminals.create POST /terminals scope cols rows > terminal
terminals.get GET /terminals/:terminalId > terminal
terminals.output GET /terminals/:terminalId/output
terminals.close POST /terminals/:terminalId/close > terminal
terminals.input POST /terminals/:terminalId/input dataBase64 > terminal
terminals.resize POST /terminals/:terminalId/resize cols rows > terminal
terminals.rename POST /terminals/:terminalId/rename title > terminal
terminals.restart POST /terminals/:terminalId/restart > terminal
files.read POST /files/read path
files.write POST /files/write path content
files.list POST /files/list path
files.listPaths POST /files/list-paths path
files.mkdir POST /files/mkdir path
files.move POST /files/move sourcePath destinationPath
files.remove POST /files/remove path
files.createPreview POST /files/create-preview rootPath
skills.list GET /skills projectId
skills.listFiles GET /skills/files projectId skillId
skills.getContent GET /skills/content projectId skillId path
skills.update PUT /skills projectId skillId content revision
skills.remove DELETE /skills! projectId skillId
plugins.list GET /plugins
plugins.install POST /plugins/install source > plugin
plugins.remove DELETE /plugins/:pluginId
plugins.enable POST /plugins/:pluginId/enable > plugin
plugins.disable POST /plugins/:pluginId/disable > plugin
plugins.reload POST /plugins/reload?id=pluginId
plugins.token POST /plugins/:pluginId~/token
plugins.getSource GET /plugins/:pluginId~/source > source
plugins.getSettings GET /plugins/:pluginId~/settings
plugins.updateSettings PUT /plugins/:pluginId~/settings values
plugins.checkUpdates POST /plugins/updates/check&id=pluginId > results
plugins.listUpdateResults GET /plugins/updates > results
plugins.applyUpdate POST /plugins/:pluginId/update
plugins.catalog.search GET /plugin-catalog/search?q=query > results
plugins.catalog.status GET /plugin-catalog/status > status
plugins.catalog.installPlan GET /plugin-catalog/install-plan entryId > plan
plugins.catalog.install POST /plugin-catalog/install entryId > plugin
plugins.marketplaces.add POST /marketplaces source > marketplace
plugins.marketplaces.list GET /marketplaces > marketplaces
plugins.marketplaces.refresh POST /marketplaces[/:name]/refresh > results
plugins.marketplaces.remove DELETE /marketplaces/:name
system.config GET /system/config
system.usageLimits GET /system/usage-limits > limits
system.version GET /system/version
system.reloadConfig POST /system/config/reload
system.attention GET /system/attention
system.executionOptions GET /system/execution-options
system.providerStates GET /system/provider-states > states
theme.get GET /theme > theme
theme.catalog GET /themes
theme.set PUT /theme @themeId > theme
status.get GET =/readyz
`;

/** Named only: each rejects with `not_supported`. */
const kUnsupported = `
threads.cancelPlan threads.clearGoal threads.paneAction
threads.experimental_listAncestors threads.experimental_listDescendants
threads.rateLimitRecovery threads.continueAfterRateLimit
projects.sidebarBootstrap
environments.squashMerge environments.markPullRequestDraft environments.markPullRequestReady environments.mergePullRequest
hosts.create hosts.pickFolder hosts.suspend hosts.resume hosts.retryCleanup hosts.retryUpdate
hosts.providerCliStatus hosts.installProviderCli
skills.registry.list skills.registry.search skills.registry.install
system.transcribeVoice system.updateGeneralSettings system.updateExperiments system.updateKeyboardSettings system.uiPreferences
system.cliSkillsStatus system.installCliSkills system.onboardingAgents system.onboardingRepos system.onboardingEvent
guide.render
`;

export interface SdkMethod {
  /** "threads.get" */
  path: string;
  verb: string;
  route: string;
  /** Members of the argument that stand in the route; those that default to the calling plugin, and those that may be left out. */
  routeMembers: string[];
  ownPlugin: Set<string>;
  optional: Set<string>;
  /** Query parameter by member, where the names differ; "*": the members of an object. */
  renamed: Map<string, string>;
  /** Member of the body by member, where the names differ. */
  renamedInBody: Map<string, string>;
  /** Whether what is named nowhere else goes into the body; else into the query. */
  isInBody: boolean;
  required: string[];
  /** The member that may be given alone, in place of an object. */
  textMember: string | undefined;
  result: string | undefined;
}

export function readMethods(): SdkMethod[] {
  return kTable.trim().split("\n").map(readLine);
}

export function unsupportedPaths(): string[] {
  return kUnsupported.trim().split(/\s+/);
}

function readLine(line: string): SdkMethod {
  const [call, result] = line.split(" > ") as [string, string | undefined];
  const [path, verb, target, ...required] = call.split(" ") as [string, string, string, ...string[]];
  const [, route, kind, rename] = /^([^?&!]+)([?&!]?)(.*)$/.exec(target) as unknown as [string, string, string, string];
  const members = [...route.matchAll(/(\[\/)?:(\w+)(~?)/g)].map(([, bracket, name, own]) => ({
    name: name as string,
    optional: bracket !== undefined,
    own: own === "~",
  }));
  const names = (which: typeof members): string[] => which.map(({ name }) => name);
  const renamed = rename === "" ? [] : [rename.split("=").reverse() as [string, string]];
  return {
    path,
    verb,
    route: route.startsWith("=") ? route.slice(1) : `/api/v1${route.replaceAll("~", "")}`,
    routeMembers: names(members),
    ownPlugin: new Set(names(members.filter(({ own }) => own))),
    optional: new Set(names(members.filter(({ optional }) => optional))),
    renamed: new Map(kind === "?" ? renamed : []),
    renamedInBody: new Map(kind === "&" ? renamed : []),
    isInBody: kind === "!" || (verb !== "GET" && verb !== "DELETE"),
    required: required.map((name) => name.replace("@", "")),
    textMember: required.find((name) => name.startsWith("@"))?.slice(1),
    result,
  };
}
