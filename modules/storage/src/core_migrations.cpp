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
};

}  // namespace

std::span<const Migration> coreMigrations() { return kCore; }

}  // namespace svc::storage
