#include "database_part.h"

#include <string>
#include <utility>
#include <vector>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/limits/plugins.h"
#include "svc/common/limits/storage.h"

#include "database_scripts.h"
#include "databases.h"

namespace svc::database {

namespace {

/// Registration of a load that has opened a database; also what its calls are named in statistics.
constexpr const char* kKind = "database";

}  // namespace

plugins::ApiPart databasePart(std::filesystem::path data) {
  plugins::ApiPart part{.name = "database", .script = scripts::kDatabase, .functions = nullptr};
  part.functions = [data = std::move(data)](const std::weak_ptr<plugins::IGeneration>& generation) {
    const auto held = generation.lock();
    const auto file = data / "plugins" / (held ? held->pluginId() : std::string()) / "data.db";
    auto config = common::Json::object()
                      .set("file", file.string())
                      .set("busyTimeout", limits::kBusyTimeout.count())
                      .dump();
    return script::hostFunctions(
        {{.name = "database.config", .sync = [config = std::move(config)](const std::string&) {
            return Result<std::string>(config);
          }}});
  };
  part.natives = [](const std::weak_ptr<plugins::IGeneration>& generation,
                    const script::ScriptLimits& allowed) {
    const auto held = generation.lock();
    return std::vector<script::NativeExtension>{
        {"database", std::make_shared<Databases>(
                         DatabaseBudget{.plugin_id = held ? held->pluginId() : std::string(),
                                        .bytes = allowed.database_bytes,
                                        .setting = "plugins.databaseMiB",
                                        .connections = limits::kDatabaseConnections})}};
  };
  return part;
}

void closeDatabases(const plugins::GenerationPtr& generation, Completion<void> done) {
  if (generation->registration(kKind).isNull()) {
    done({});
    return;
  }
  auto answer = std::make_shared<Completion<void>>(std::move(done));
  generation->invoke("", {.function = "database.close", .meta = "", .body = ""},
                     [answer](const Result<std::string>& result) {
                       // The end of an environment has closed them.
                       (*answer)(result || result.error().code == errc::kPluginNotRunning
                                     ? Status{}
                                     : Status(result.error()));
                     });
}

}  // namespace svc::database
