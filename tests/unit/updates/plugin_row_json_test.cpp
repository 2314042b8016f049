#include "plugin_row_json.h"

#include <gtest/gtest.h>

namespace svc::updates {
namespace {

storage::PluginRow fullRow() {
  return {.id = "todo",
          .source = "npm:todo",
          .source_kind = "npm",
          .provenance = "catalog",
          .root_dir = "/cache",
          .version = "1.0.0",
          .enabled = false,
          .generation = 4,
          .installed_at = 5,
          .updated_at = 6,
          .source_detail = "{}",
          .resolved = "npm:todo@1.0.0",
          .resolved_tag = "v1",
          .integrity = "sha512-x",
          .commit_sha = "abc",
          .digests = R"({"a":"b"})",
          .history = "[]",
          .last_failure = "{}"};
}

TEST(PluginRowJsonTest, EveryFieldComesBack) {
  const auto text = rowJson(fullRow()).dump();
  EXPECT_EQ(readRow(common::Json::parse(text).value()), fullRow());
}

TEST(PluginRowJsonTest, AReloadIsTheSameInstallation) {
  auto reloaded = fullRow();
  reloaded.generation = 9;
  reloaded.updated_at = 9;
  EXPECT_TRUE(sameInstallation(fullRow(), reloaded));
}

TEST(PluginRowJsonTest, DisablingMovingAndReinstallingAreNot) {
  for (const auto& change : std::vector<std::function<void(storage::PluginRow&)>>{
           [](auto& row) { row.enabled = true; }, [](auto& row) { row.root_dir = "/else"; },
           [](auto& row) { row.resolved = "npm:todo@2"; }, [](auto& row) { row.source = "npm:x"; },
           [](auto& row) { row.installed_at = 77; }}) {
    auto changed = fullRow();
    change(changed);
    EXPECT_FALSE(sameInstallation(fullRow(), changed));
  }
}

}  // namespace
}  // namespace svc::updates
