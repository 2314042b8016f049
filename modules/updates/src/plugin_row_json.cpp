#include "plugin_row_json.h"

#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace svc::updates {
namespace {

using common::Json;
using storage::PluginRow;

constexpr std::array<std::pair<std::string_view, std::string PluginRow::*>, 14> kTexts{{
    {"id", &PluginRow::id},
    {"source", &PluginRow::source},
    {"sourceKind", &PluginRow::source_kind},
    {"provenance", &PluginRow::provenance},
    {"rootDir", &PluginRow::root_dir},
    {"version", &PluginRow::version},
    {"sourceDetail", &PluginRow::source_detail},
    {"resolved", &PluginRow::resolved},
    {"resolvedTag", &PluginRow::resolved_tag},
    {"integrity", &PluginRow::integrity},
    {"commitSha", &PluginRow::commit_sha},
    {"digests", &PluginRow::digests},
    {"history", &PluginRow::history},
    {"lastFailure", &PluginRow::last_failure},
}};

}  // namespace

Json rowJson(const PluginRow& row) {
  auto out = Json::object();
  for (const auto& [name, member] : kTexts) {
    out.set(std::string(name), row.*member);
  }
  return out.set("enabled", row.enabled)
      .set("generation", row.generation)
      .set("installedAt", row.installed_at)
      .set("updatedAt", row.updated_at);
}

PluginRow readRow(const Json& value) {
  PluginRow row;
  for (const auto& [name, member] : kTexts) {
    row.*member = value[name].asString();
  }
  row.enabled = value["enabled"].asBool();
  row.generation = static_cast<std::uint64_t>(value["generation"].asInteger());
  row.installed_at = value["installedAt"].asInteger();
  row.updated_at = value["updatedAt"].asInteger();
  return row;
}

bool sameInstallation(const PluginRow& left, const PluginRow& right) {
  const auto key = [](const PluginRow& row) {
    return std::tie(row.id, row.source, row.source_detail, row.resolved, row.root_dir,
                    row.installed_at, row.enabled);
  };
  return key(left) == key(right);
}

bool sameVersion(PluginRow left, const PluginRow& right) {
  left.enabled = right.enabled;
  return sameInstallation(left, right);
}

bool isManaged(const PluginRow& row) {
  return row.source_kind != "path" && row.source_kind != "builtin";
}

}  // namespace svc::updates
