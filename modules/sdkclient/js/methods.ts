/**
 * The methods of `svc.sdk`, one line each: path, HTTP method, route below /api/v1, members of the argument that are
 * required, and after ">" the member of the answer that is returned (without it: all members but `ok`).
 *
 * In a route ":x" is the member x of the argument, ":x~" defaults to the calling plugin, "?a=x" sends member x as query
 * parameter a. Every other member goes into the query of GET and DELETE, and into the body of the rest.
 */
const kTable = `
threads.get GET /threads/:threadId > thread
threads.list GET /threads > threads
threads.spawn POST /threads projectId > thread
threads.send POST /threads/:threadId/send input mode
threads.retry POST /threads/:threadId/retry
threads.stop POST /threads/:threadId/stop > thread
threads.archive POST /threads/:threadId/archive > thread
threads.output GET /threads/:threadId/output
threads.timeline GET /threads/:threadId/timeline
threads.defaultExecutionOptions GET /threads/:threadId/default-execution-options > options
threads.update PATCH /threads/:threadId > thread
threads.delete DELETE /threads/:threadId
threads.unarchive POST /threads/:threadId/unarchive > thread
threads.archiveAll POST /threads/archive-all
threads.fork POST /threads/:threadId/fork > thread
threads.search GET /threads/search query > threads
threads.editMessage POST /threads/:threadId/edit-message
threads.open POST /threads/:threadId/open
threads.pin POST /threads/:threadId/pin > thread
threads.unpin POST /threads/:threadId/unpin > thread
threads.reorderPinned POST /threads/reorder-pinned
threads.markRead POST /threads/:threadId/mark-read > thread
threads.markUnread POST /threads/:threadId/mark-unread > thread
threads.promptHistory GET /threads/:threadId/prompt-history
threads.conversationOutline GET /threads/:threadId/conversation-outline
threads.getPluginMetadata GET /threads/:threadId/plugin-metadata/:pluginId~ > metadata
threads.updatePluginMetadata PUT /threads/:threadId/plugin-metadata/:pluginId~ metadata > metadata
threads.compact POST /threads/:threadId/compact
threads.childSummary GET /threads/:threadId/child-summary
threads.resolveMentions POST /threads/:threadId/resolve-mentions
threads.storageFiles GET /threads/:threadId/storage-files
threads.storageLocation GET /threads/:threadId/storage-location
threads.storagePaths GET /threads/:threadId/storage-paths
threads.events.list GET /threads/:threadId/events > events
threads.events.wait GET /threads/:threadId/events/wait type waitMs > event
threads.interactions.list GET /threads/:threadId/interactions > interactions
threads.interactions.get GET /threads/:threadId/interactions/:interactionId > interaction
threads.interactions.resolve POST /threads/:threadId/interactions/:interactionId/resolve > interaction
threads.interactions.respond POST /threads/:threadId/interactions/:interactionId/respond value > interaction
threads.interactions.cancel POST /threads/:threadId/interactions/:interactionId/cancel > interaction
threads.queuedMessages.create POST /threads/:threadId/queued-messages > queuedMessage
threads.queuedMessages.list GET /threads/:threadId/queued-messages > queuedMessages
threads.queuedMessages.update PATCH /threads/:threadId/queued-messages/:queuedMessageId > queuedMessage
threads.queuedMessages.delete DELETE /threads/:threadId/queued-messages/:queuedMessageId
threads.queuedMessages.send POST /threads/:threadId/queued-messages/:queuedMessageId/send
threads.queuedMessages.reorder POST /threads/:threadId/queued-messages/reorder
threads.queuedMessages.setGroupBoundary POST /threads/:threadId/queued-messages/:queuedMessageId/set-group-boundary
threads.tabs.get GET /threads/:threadId/tabs
threads.tabs.update PUT /threads/:threadId/tabs expectedRevision tabs
threadSections.list GET /thread-sections > threadSections
threadSections.create POST /thread-sections name > threadSection
threadSections.update PATCH /thread-sections/:sectionId > threadSection
threadSections.delete DELETE /thread-sections/:sectionId
projects.list GET /projects > projects
projects.get GET /projects/:projectId > project
projects.create POST /projects name source > project
projects.update PATCH /projects/:projectId > project
projects.delete DELETE /projects/:projectId
projects.reorder POST /projects/reorder
projects.paths GET /projects/:projectId/paths
projects.files GET /projects/:projectId/files
projects.fileContent GET /projects/:projectId/file-content path
projects.branches GET /projects/:projectId/branches
projects.defaultExecutionOptions GET /projects/:projectId/default-execution-options > options
projects.promptHistory GET /projects/:projectId/prompt-history
projects.sources.add POST /projects/:projectId/sources > source
projects.sources.update PATCH /projects/:projectId/sources/:sourceId > source
projects.sources.delete DELETE /projects/:projectId/sources/:sourceId
projects.attachments.upload POST /projects/:projectId/attachments > attachment
projects.attachments.read GET /projects/:projectId/attachments/:attachmentId
projects.attachments.copy POST /projects/:projectId/attachments/:attachmentId/copy > attachment
environments.get GET /environments/:environmentId > environment
environments.list GET /environments > environments
environments.listProviders GET /environments/providers > providers
environments.update PATCH /environments/:environmentId > environment
environments.delete DELETE /environments/:environmentId
environments.status GET /environments/:environmentId/status
environments.paths GET /environments/:environmentId/paths
environments.diff GET /environments/:environmentId/diff
environments.diffFile GET /environments/:environmentId/diff-file path
environments.diffFiles GET /environments/:environmentId/diff-files
environments.diffPatch GET /environments/:environmentId/diff-patch
environments.diffBranches GET /environments/:environmentId/diff-branches
environments.commit POST /environments/:environmentId/commit
environments.pullRequest GET /environments/:environmentId/pull-request
environments.archiveThreads POST /environments/:environmentId/archive-threads
hosts.list GET /hosts > hosts
hosts.directory GET /hosts/:hostId/directory
hosts.get GET /hosts/:hostId > host
hosts.update PATCH /hosts/:hostId > host
hosts.delete DELETE /hosts/:hostId
hosts.create POST /hosts > host
hosts.listProviders GET /hosts/providers > providers
hosts.pathsExist POST /hosts/:hostId/paths-exist paths
hosts.cloneDefaultPath GET /hosts/:hostId/clone-default-path
hosts.pickFolder POST /hosts/:hostId/pick-folder
providers.list GET /providers > providers
providers.models GET /providers/models
terminals.create POST /terminals scope cols rows > terminal
terminals.get GET /terminals/:terminalId > terminal
terminals.output GET /terminals/:terminalId/output
terminals.close POST /terminals/:terminalId/close > terminal
terminals.list GET /terminals > terminals
terminals.input POST /terminals/:terminalId/input dataBase64
terminals.resize POST /terminals/:terminalId/resize cols rows > terminal
terminals.rename POST /terminals/:terminalId/rename title > terminal
terminals.restart POST /terminals/:terminalId/restart > terminal
files.read POST /files/read path
files.write POST /files/write path content
files.list POST /files/list path
files.listPaths POST /files/list-paths path
files.mkdir POST /files/mkdir path
files.move POST /files/move
files.remove POST /files/remove path
files.createPreview POST /files/create-preview rootPath ttlMs
skills.list GET /skills > skills
skills.listFiles GET /skills/files
skills.getContent GET /skills/content
skills.update PUT /skills
skills.remove DELETE /skills
plugins.list GET /plugins
plugins.install POST /plugins/install source > plugin
plugins.remove DELETE /plugins/:pluginId
plugins.enable POST /plugins/:pluginId/enable > plugin
plugins.disable POST /plugins/:pluginId/disable > plugin
plugins.reload POST /plugins/reload?id=pluginId
plugins.token POST /plugins/:pluginId~/token > token
plugins.getSource GET /plugins/:pluginId~/source > source
plugins.getSettings GET /plugins/:pluginId~/settings
plugins.updateSettings PUT /plugins/:pluginId~/settings values
plugins.checkUpdates POST /plugins/updates/check > results
plugins.listUpdateResults GET /plugins/updates > results
plugins.applyUpdate POST /plugins/:pluginId/update
plugins.catalog.search GET /plugin-catalog/search?q=query > results
plugins.catalog.status GET /plugin-catalog/status > status
plugins.catalog.installPlan GET /plugin-catalog/install-plan entryId
plugins.catalog.install POST /plugin-catalog/install entryId > plugin
plugins.marketplaces.add POST /marketplaces source > marketplaces
plugins.marketplaces.list GET /marketplaces > marketplaces
plugins.marketplaces.refresh POST /marketplaces/:name/refresh > marketplaces
plugins.marketplaces.remove DELETE /marketplaces/:name
system.config GET /system/config
system.usageLimits GET /system/usage-limits
system.version GET /system/version
system.reloadConfig POST /system/config/reload
system.attention GET /system/attention
system.executionOptions GET /system/execution-options
system.providerStates GET /system/provider-states
theme.get GET /theme > theme
theme.catalog GET /themes
theme.set PUT /theme themeId > theme
status.get GET =/readyz
`;

/** Named only: each rejects with `not_supported`. */
const kUnsupported = `
threads.cancelPlan threads.clearGoal threads.paneAction threads.timelineTurnSummaryDetails
threads.experimental_listAncestors threads.experimental_listDescendants
projects.sidebarBootstrap
environments.markPullRequestDraft environments.markPullRequestReady environments.mergePullRequest
hosts.suspend hosts.resume hosts.retryCleanup hosts.retryUpdate hosts.providerCliStatus hosts.installProviderCli
skills.registry.list skills.registry.search skills.registry.install
system.transcribeVoice system.updateGeneralSettings system.uiPreferences
guide.render
`;

export interface SdkMethod {
  /** "threads.get" */
  path: string;
  verb: string;
  route: string;
  /** Members of the argument that stand in the route, and those that default to the calling plugin. */
  routeMembers: string[];
  ownPlugin: Set<string>;
  /** Query parameter by member, where the names differ. */
  renamed: Map<string, string>;
  required: string[];
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
  const [route, query] = target.split("?") as [string, string | undefined];
  const members = [...route.matchAll(/:(\w+)(~?)/g)].map(([, name, own]) => ({ name: name as string, own: own === "~" }));
  const renamed = query === undefined ? [] : [query.split("=").reverse() as [string, string]];
  return {
    path,
    verb,
    route: route.startsWith("=") ? route.slice(1) : `/api/v1${route.replaceAll("~", "")}`,
    routeMembers: members.map(({ name }) => name),
    ownPlugin: new Set(members.filter(({ own }) => own).map(({ name }) => name)),
    renamed: new Map(renamed),
    required,
    result,
  };
}
