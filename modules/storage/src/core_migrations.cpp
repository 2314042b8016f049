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
};

}  // namespace

std::span<const Migration> coreMigrations() { return kCore; }

}  // namespace svc::storage
