#include "fixture.h"

namespace svc::plugins {

ManagerFixture::ManagerFixture() {
  ON_CALL(store_, list).WillByDefault([this] {
    std::vector<storage::PluginRow> out;
    for (const auto& [id, row] : rows_) {
      out.push_back(row);
    }
    return Result<std::vector<storage::PluginRow>>(std::move(out));
  });
  ON_CALL(store_, put).WillByDefault([this](const storage::PluginRow& row) {
    rows_[row.id] = row;
    return Status();
  });
  ON_CALL(store_, remove).WillByDefault([this](const std::string& id) {
    return rows_.erase(id) == 1 ? Status() : Status(Error{errc::kNotFound, "no row"});
  });
  ON_CALL(settings_store_, load).WillByDefault([this](const std::string& id) {
    return Result<storage::MockSettingsStore::Values>(settings_rows_[id]);
  });
  ON_CALL(settings_store_, apply).WillByDefault([this](const std::string& id, const auto& changes) {
    for (const auto& [key, value] : changes) {
      settings_rows_[id].erase(key);
      if (value) {
        settings_rows_[id].emplace(key, *value);
      }
    }
    return Status();
  });
  ON_CALL(service_settings_, get).WillByDefault([this](const std::string& key) {
    const auto found = service_rows_.find(key);
    return Result<std::optional<std::string>>(
        found == service_rows_.end() ? std::nullopt : std::optional(found->second));
  });
  ON_CALL(service_settings_, set)
      .WillByDefault([this](const std::string& key, const std::string& value) {
        service_rows_[key] = value;
        return Status();
      });
  ON_CALL(kv_, list).WillByDefault(
      [](std::string, std::string, Completion<std::vector<std::string>> done) {
        done(std::vector<std::string>{});
      });
  ON_CALL(kv_, clear).WillByDefault([](std::string, Completion<std::size_t> done) {
    done(std::size_t{0});
  });
  for (const auto* function : {"plugin.load", "plugin.runHooks", "plugin.invalidate"}) {
    runtime_.respond(function, [](const std::string&, const std::string&) {
      return Result<std::string>(std::string());
    });
  }
  restart();
}
ManagerFixture::~ManagerFixture() {
  settle();
  manager_->close();
  // A real environment fails its pending calls when it ends.
  for (const auto& each : runtime_.environments) {
    each->end({});
  }
  held_factories_.clear();
  settle();
}

void ManagerFixture::restart(bool safe_mode) {
  const Collaborators with{
      .main = main_,
      .workers = workers_,
      .clock = clock_,
      .runtime = runtime_,
      .store = store_,
      .kv = kv_,
      .threads = threads_,
      .settings = settings_store_,
      .api = api_,
      .loaded = shared_map_,
      .logs = shared_logs_,
      .assets = shared_assets_,
      .log = server_log_,
      .safe_mode = std::make_shared<SafeMode>(service_settings_, workers_, main_),
      .schedules = std::make_shared<Scheduler>(
          Scheduler::Context{main_, workers_, clock_, schedule_store_, shared_map_, server_log_,
                             findZone("UTC").value()})};
  ManagerSettings settings;
  settings.data = directory_.path() / "data";
  settings.bin = directory_.path() / "bin";
  settings.parallel_loads = 2;
  settings.safe_mode = safe_mode;
  settings.random = [] { return 0.0; };
  settings.overrides.set(
      "todo",
      common::Json::object().set("heapMiB", 64).set("workerThreads", 3).set("databaseMiB", 16));
  if (configure) {
    configure(settings);
  }
  manager_ = PluginManager::create(with, settings);
  ASSERT_TRUE(manager_->open());
}

PluginRecord ManagerFixture::install(const std::filesystem::path& root) {
  Answer<PluginRecord> answer;
  manager_->install(root.string(), answer.completion());
  settle();
  EXPECT_TRUE(answer.ok()) << (answer.fired() ? answer.error().message : "no answer");
  return answer.ok() ? answer.value() : PluginRecord{};
}

PluginRecord ManagerFixture::record(const std::string& id) {
  Answer<PluginRecord> answer;
  manager_->get(id, answer.completion());
  main_.runAll();
  EXPECT_TRUE(answer.ok()) << id;
  return answer.ok() ? answer.value() : PluginRecord{};
}

Answer<std::vector<ReloadOutcome>> ManagerFixture::reload(const std::string& id) {
  Answer<std::vector<ReloadOutcome>> answer;
  manager_->reload(id, answer.completion());
  settle();
  return answer;
}

Answer<GenerationPtr> ManagerFixture::acquire(const std::string& id) {
  Answer<GenerationPtr> answer;
  loaded_.acquire(id, answer.completion());
  return answer;
}

std::vector<std::string> ManagerFixture::logMessages(const std::string& id) {
  Answer<LogPage> answer;
  logs_.read(id, {}, answer.completion());
  settle();
  std::vector<std::string> out;
  for (const auto& line : answer.value().lines) {
    out.push_back(common::Json::parse(line).value()["message"].asString());
  }
  return out;
}

void ManagerFixture::holdFactories() {
  runtime_.handle("plugin.load", [this](script::Invocation, Completion<std::string> done) {
    held_factories_.push_back(std::make_shared<Completion<std::string>>(std::move(done)));
  });
}
void ManagerFixture::failFactories(std::string message, std::string stack) {
  const auto details = common::Json::object().set("stack", std::move(stack)).dump();
  runtime_.respond("plugin.load",
                   [message = std::move(message), details](const std::string&, const std::string&) {
                     return Result<std::string>(Error{errc::kLoadFailed, message, details});
                   });
}
void ManagerFixture::passFactories() {
  runtime_.respond("plugin.load", [](const std::string&, const std::string&) {
    return Result<std::string>(std::string());
  });
}

}  // namespace svc::plugins
