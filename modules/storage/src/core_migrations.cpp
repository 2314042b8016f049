#include <array>

#include "migrator.h"

namespace svc::storage {
namespace {

constexpr std::array kCore{
    Migration{1, "plugins and key-value data", R"sql(
CREATE TABLE plugins (
  id TEXT PRIMARY KEY,
  source TEXT NOT NULL,
  source_kind TEXT NOT NULL,
  provenance TEXT NOT NULL,
  root_dir TEXT NOT NULL,
  version TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  installed_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE TABLE plugin_kv (
  plugin_id TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (plugin_id, key)
) STRICT;
)sql"},
    Migration{2, "settings of plugins", R"sql(
CREATE TABLE plugin_settings (
  plugin_id TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (plugin_id, key)
) STRICT;
)sql"},
    Migration{3, "schedules of plugins", R"sql(
CREATE TABLE plugin_schedules (
  plugin_id TEXT NOT NULL,
  name TEXT NOT NULL,
  cron TEXT NOT NULL,
  timezone TEXT NOT NULL,
  next_run_at INTEGER NOT NULL,
  last_run_at INTEGER,
  last_status TEXT,
  last_error TEXT,
  last_run_missed INTEGER NOT NULL DEFAULT 0,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (plugin_id, name)
) STRICT;
CREATE INDEX plugin_schedules_by_next_run ON plugin_schedules (next_run_at);
)sql"},
    Migration{4, "settings of the service", R"sql(
CREATE TABLE service_settings (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
)sql"},
    Migration{5, "managed sources, install jobs and marketplaces", R"sql(
ALTER TABLE plugins ADD COLUMN source_detail TEXT NOT NULL DEFAULT '';
ALTER TABLE plugins ADD COLUMN resolved TEXT NOT NULL DEFAULT '';
ALTER TABLE plugins ADD COLUMN resolved_tag TEXT NOT NULL DEFAULT '';
ALTER TABLE plugins ADD COLUMN integrity TEXT NOT NULL DEFAULT '';
ALTER TABLE plugins ADD COLUMN commit_sha TEXT NOT NULL DEFAULT '';
ALTER TABLE plugins ADD COLUMN digests TEXT NOT NULL DEFAULT '';
ALTER TABLE plugins ADD COLUMN history TEXT NOT NULL DEFAULT '';
ALTER TABLE plugins ADD COLUMN last_failure TEXT NOT NULL DEFAULT '';
CREATE TABLE install_jobs (
  id TEXT PRIMARY KEY,
  source TEXT NOT NULL,
  state TEXT NOT NULL,
  step TEXT NOT NULL,
  error TEXT NOT NULL,
  plugin_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  finished_at INTEGER NOT NULL
) STRICT;
CREATE TABLE marketplaces (
  name TEXT PRIMARY KEY,
  source TEXT NOT NULL,
  content TEXT NOT NULL,
  added_at INTEGER NOT NULL,
  refreshed_at INTEGER NOT NULL,
  last_error TEXT NOT NULL
) STRICT;
)sql"},
    Migration{6, "snapshots of plugins", R"sql(
CREATE TABLE plugin_snapshots (
  id TEXT PRIMARY KEY,
  plugin_id TEXT NOT NULL,
  state TEXT NOT NULL,
  settled INTEGER NOT NULL,
  from_version TEXT NOT NULL,
  to_version TEXT NOT NULL,
  detail TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
)sql"},
    Migration{7, "machines and their keys", R"sql(
CREATE TABLE hosts (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  is_server INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  last_rejected_protocol INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE TABLE host_keys (
  hash TEXT PRIMARY KEY,
  host_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  host_name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL
) STRICT;
)sql"},
    Migration{8, "tokens of MCP clients", R"sql(
CREATE TABLE mcp_tokens (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  hash TEXT NOT NULL UNIQUE,
  scope TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL
) STRICT;
)sql"},
    Migration{9, "terminals", R"sql(
CREATE TABLE terminals (
  id TEXT PRIMARY KEY,
  host_id TEXT NOT NULL,
  scope TEXT NOT NULL,
  thread_id TEXT NOT NULL,
  environment_id TEXT NOT NULL,
  title TEXT NOT NULL,
  status TEXT NOT NULL,
  exit_code INTEGER NOT NULL,
  close_reason TEXT NOT NULL,
  initial_cwd TEXT NOT NULL,
  columns INTEGER NOT NULL,
  rows INTEGER NOT NULL,
  last_input_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
)sql"},
    Migration{10, "projects and their sources", R"sql(
CREATE TABLE projects (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  sort_key TEXT NOT NULL,
  git_remote_url TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE TABLE project_sources (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  host_id TEXT NOT NULL,
  path TEXT NOT NULL,
  is_default INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (host_id, path)
) STRICT;
CREATE UNIQUE INDEX project_sources_default ON project_sources (project_id) WHERE is_default = 1;
)sql"},
    Migration{11, "threads and what belongs to them", R"sql(
CREATE TABLE threads (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  environment_id TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  title TEXT NOT NULL,
  title_is_own INTEGER NOT NULL,
  title_fallback TEXT NOT NULL,
  section_id TEXT NOT NULL,
  status TEXT NOT NULL,
  parent_thread_id TEXT NOT NULL,
  source_thread_id TEXT NOT NULL,
  origin_kind TEXT NOT NULL,
  origin_plugin_id TEXT NOT NULL,
  hidden INTEGER NOT NULL,
  pin_sort_key TEXT NOT NULL,
  archived_at INTEGER NOT NULL,
  pinned_at INTEGER NOT NULL,
  deleted_at INTEGER NOT NULL,
  last_read_at INTEGER NOT NULL,
  latest_attention_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  execution TEXT NOT NULL,
  environment TEXT NOT NULL,
  session TEXT NOT NULL,
  last_seq INTEGER NOT NULL
) STRICT;
CREATE INDEX threads_by_activity ON threads (project_id, status, latest_attention_at);
CREATE TABLE turns (
  request_id TEXT PRIMARY KEY,
  turn_id TEXT NOT NULL,
  thread_id TEXT NOT NULL,
  state TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  retry_of TEXT NOT NULL,
  initiator TEXT NOT NULL,
  provider_turn_id TEXT NOT NULL,
  error TEXT NOT NULL,
  requested_seq INTEGER NOT NULL,
  accepted_at INTEGER NOT NULL,
  dispatched_at INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL
) STRICT;
CREATE INDEX turns_of_thread ON turns (thread_id, accepted_at);
CREATE INDEX turns_open ON turns (state) WHERE state IN ('accepted', 'dispatched', 'started');
CREATE TABLE thread_events (
  thread_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  data TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (thread_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX thread_events_by_type ON thread_events (thread_id, type, seq);
CREATE TABLE thread_sessions (
  thread_id TEXT NOT NULL,
  session TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (thread_id, session)
) STRICT, WITHOUT ROWID;
CREATE TABLE queued_messages (
  id TEXT PRIMARY KEY,
  thread_id TEXT NOT NULL,
  sort_key TEXT NOT NULL,
  content TEXT NOT NULL,
  options TEXT NOT NULL,
  group_with_next INTEGER NOT NULL,
  send_at INTEGER NOT NULL,
  waiting_on TEXT NOT NULL,
  payload TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX queued_messages_of_thread ON queued_messages (thread_id, sort_key);
CREATE TABLE interactions (
  id TEXT PRIMARY KEY,
  thread_id TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  status TEXT NOT NULL,
  status_reason TEXT NOT NULL,
  origin TEXT NOT NULL,
  payload TEXT NOT NULL,
  resolution TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  resolved_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX interactions_of_thread ON interactions (thread_id);
CREATE INDEX interactions_open ON interactions (status) WHERE status IN ('pending', 'resolving');
CREATE TABLE thread_sections (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE TABLE thread_tabs (
  thread_id TEXT PRIMARY KEY,
  revision INTEGER NOT NULL,
  tabs TEXT NOT NULL
) STRICT;
CREATE TABLE thread_plugin_metadata (
  thread_id TEXT NOT NULL,
  plugin_id TEXT NOT NULL,
  metadata TEXT NOT NULL,
  PRIMARY KEY (thread_id, plugin_id)
) STRICT, WITHOUT ROWID;
)sql"},
    Migration{12, "environments", R"sql(
CREATE TABLE environments (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  host_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  status_detail TEXT NOT NULL,
  name TEXT NOT NULL,
  path TEXT NOT NULL,
  intent TEXT NOT NULL,
  is_git_repo INTEGER NOT NULL,
  is_worktree INTEGER NOT NULL,
  branch_name TEXT NOT NULL,
  base_branch TEXT NOT NULL,
  default_branch TEXT NOT NULL,
  merge_base_branch TEXT NOT NULL,
  phase TEXT NOT NULL,
  retire_at INTEGER NOT NULL,
  teardown_status TEXT NOT NULL,
  teardown_attempt INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX environments_by_project ON environments (project_id);
)sql"},
    Migration{13, "statistics of plugins", R"sql(
ALTER TABLE plugins ADD COLUMN meters TEXT NOT NULL DEFAULT '';
)sql"},
    Migration{14, "times that plugins named, ends that no plugin has heard", R"sql(
UPDATE queued_messages
SET waiting_on = json_set(waiting_on, '$.sendAt', send_at), send_at = 0
WHERE send_at <> 0 AND waiting_on <> '' AND json_extract(waiting_on, '$.kind') = 'plugin';
ALTER TABLE threads ADD COLUMN owes_idle INTEGER NOT NULL DEFAULT 0;
)sql"},
};

}  // namespace

std::span<const Migration> coreMigrations() { return kCore; }

}  // namespace svc::storage
