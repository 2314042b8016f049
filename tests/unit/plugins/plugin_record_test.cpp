#include "svc/plugins/plugin_record.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace svc::plugins {
namespace {

TEST(PluginRecordTest, ShowsEveryFieldOfTheContract) {
  const auto json = toJson(PluginRecord{});
  for (const auto* field : {"id",           "source",       "sourceDisplay",     "rootDir",
                            "version",      "provenance",   "isOrphanedBuiltin", "publisherLabel",
                            "enabled",      "name",         "description",       "icon",
                            "iconUrl",      "logoUrl",      "logoDarkUrl",       "icons",
                            "status",       "statusDetail", "lastError",         "problems",
                            "unsupported",  "generation",   "loadedAt",          "loadMs",
                            "handlerStats", "counters",     "services",          "schedules",
                            "cliCommand",   "capabilities", "hasSettings",       "app",
                            "providerIds",  "updateState",  "resources"}) {
    EXPECT_NE(json.find(field), nullptr) << field;
  }
}

TEST(PluginRecordTest, WritesValuesInTheirShapes) {
  PluginRecord record;
  record.id = "todo";
  record.status = PluginStatus::kNeedsConfiguration;
  record.last_error = PluginError{5, "boom", "", "timer"};
  record.loaded_at = 42;
  record.cli = CliRegistration{"todo", "the list", {}, false, true};
  record.problems.push_back({"unknown_field", "x"});
  const auto json = toJson(record);
  EXPECT_EQ(json["status"].asString(), "needs-configuration");
  EXPECT_TRUE(json["statusDetail"].isNull());
  EXPECT_EQ(json["lastError"].dump(), R"({"at":5,"message":"boom","stack":null,"source":"timer"})");
  EXPECT_EQ(json["loadedAt"].asInteger(), 42);
  EXPECT_TRUE(json["loadMs"].isNull());
  EXPECT_EQ(json["cliCommand"].dump(), R"({"name":"todo","summary":"the list","shadowed":true})");
  EXPECT_EQ(json["problems"].dump(), R"([{"code":"unknown_field","message":"x"}])");
  EXPECT_EQ(json["app"].dump(), R"({"hasApp":false,"bundle":null})");
}

TEST(PluginRecordTest, NamesTheEightStatuses) {
  std::set<std::string_view> names;
  for (int status = 0; status < 8; ++status) {
    names.insert(statusName(static_cast<PluginStatus>(status)));
  }
  EXPECT_EQ(names.size(), 8U);
}

}  // namespace
}  // namespace svc::plugins
