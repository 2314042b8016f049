#include "fixture.h"

namespace svc::updates {

UpdatesFixture::UpdatesFixture() {
  using ::testing::_;
  plugin_.row = rowOf("1.0.0");
  plugin_.record.id = "todo";
  plugin_.record.version = "1.0.0";
  plugin_.record.root_dir = plugin_.row.root_dir;
  plugin_.record.status = plugins::PluginStatus::kRunning;
  found_.candidate = installs::Candidate{"1.1.0", "npm:svc-plugin-todo@1.1.0", "", ""};
  ON_CALL(manager_, get).WillByDefault([this](const std::string& id, auto done) {
    if (id == plugin_.record.id) {
      done(plugin_.record);
    } else {
      done(Error{errc::kUnknownPlugin, "no plugin \"" + id + "\" is installed"});
    }
  });
  ON_CALL(manager_, list).WillByDefault([this](auto done) { done(records()); });
  ON_CALL(manager_, safeMode).WillByDefault([this](auto done) {
    done(plugins::SafeModeState{.enabled = safe_mode_, .problems = {}});
  });
  ON_CALL(manager_, onChanged).WillByDefault([this](auto listener) {
    const auto key = ++last_listener_;
    listeners_[key] = std::move(listener);
    return Handle([this, key] { listeners_.erase(key); });
  });
  ON_CALL(switches_, rows).WillByDefault([this](auto done) { done(rows_or_()); });
  ON_CALL(switches_, begin).WillByDefault([this](const std::string&, auto done) {
    done(plugins::PluginSwitchPtr(std::make_shared<FakeSwitch>(plugin_)));
  });
  ON_CALL(sources_, resolve).WillByDefault([this](const auto&, auto, auto done) { done(found_); });
  ON_CALL(sources_, stage)
      .WillByDefault([](const storage::PluginRow& installed, const installs::Candidate& candidate,
                        auto, auto, auto done) {
        auto row = rowOf(candidate.version);
        row.enabled = installed.enabled;
        row.last_failure = installed.last_failure;
        done(row);
      });
  ON_CALL(sources_, keep).WillByDefault([](const auto&) { return Handle(); });
}

UpdatesFixture::~UpdatesFixture() = default;

std::shared_ptr<UpdateRun> UpdatesFixture::update(const Answer<UpdateResult>& answer,
                                                  IUpdateObserver* observer) {
  auto run = std::make_shared<UpdateRun>(context(observer), "todo");
  run->run("", answer.completion());
  settle();
  return run;
}

}  // namespace svc::updates
