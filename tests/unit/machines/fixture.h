#pragma once

#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include "fakes/fake_clock.h"
#include "fakes/inline_workers.h"
#include "registry.h"

namespace svc::machines {

/// Host rows in maps, for one thread.
class RowsInMaps final : public storage::IHostStore {
 public:
  std::map<std::string, storage::HostRow> host_rows;
  std::map<std::string, storage::HostKeyRow> key_rows;
  int changes = 0;
  /// Makes every change fail while it is set.
  std::optional<Error> broken;

  Result<std::vector<storage::HostRow>> hosts() override {
    std::vector<storage::HostRow> out;
    for (const auto& [id, row] : host_rows) {
      out.push_back(row);
    }
    return out;
  }
  Result<std::vector<storage::HostKeyRow>> keys() override {
    std::vector<storage::HostKeyRow> out;
    for (const auto& [hash, row] : key_rows) {
      out.push_back(row);
    }
    return out;
  }
  Status apply(const storage::HostChange& change) override {
    if (broken) {
      return *broken;
    }
    ++changes;
    for (const auto& id : change.gone_hosts) {
      host_rows.erase(id);
      std::erase_if(key_rows, [&id](const auto& each) { return each.second.host_id == id; });
    }
    for (const auto& hash : change.gone_keys) {
      key_rows.erase(hash);
    }
    for (const auto& row : change.hosts) {
      host_rows.insert_or_assign(row.id, row);
    }
    for (const auto& row : change.keys) {
      key_rows.insert_or_assign(row.hash, row);
    }
    return {};
  }
};

/// A registry that has been opened on an empty store; its server is called "home".
class MachinesFixture : public ::testing::Test {
 protected:
  MachinesFixture() { restart(); }

  /// As after a restart of the server: only what was stored is left.
  void restart() {
    registry_ = std::make_unique<Registry>(
        store_, workers_, clock_,
        [this](const std::string& host_id, const char* change) {
          announced_.emplace_back(host_id, change);
        },
        [](std::string_view platform) { return platform == "linux-x64"; }, log_);
    EXPECT_TRUE(registry_->open("home").ok());
    announced_.clear();
  }

  std::string issue(std::optional<std::string> host_id = {}, const std::string& name = {}) {
    auto key = registry_->issueKey(storage::HostKeyKind::kJoin, host_id, name);
    EXPECT_TRUE(key.ok());
    return key ? key.value().key : std::string();
  }
  Result<Enrolled> enroll(const std::string& key, std::optional<std::string> host_id = {},
                          std::string name = "mac") {
    return registry_->enroll(
        key,
        {.host_id = std::move(host_id), .host_name = std::move(name), .host_type = "persistent"});
  }
  /// A machine with a key that works.
  Enrolled enrolled(const std::string& name = "mac") {
    auto made = enroll(issue(), {}, name);
    EXPECT_TRUE(made.ok());
    EXPECT_TRUE(registry_->authenticate(made.value().host_key).ok());
    return made.value();
  }
  common::Json record(const std::string& host_id) {
    auto found = registry_->record(host_id);
    return found ? std::move(found).value() : common::Json();
  }
  std::vector<std::string> names() {
    std::vector<std::string> out;
    for (const auto& host : registry_->list()) {
      out.push_back(host.name);
    }
    return out;
  }
  std::string logged() {
    log_->flush();
    return log_text_.str();
  }

  using Announced = std::vector<std::pair<std::string, std::string>>;
  svc::test::FakeClock clock_;
  svc::test::InlineWorkers workers_;
  RowsInMaps store_;
  Announced announced_;
  std::ostringstream log_text_;
  std::shared_ptr<spdlog::logger> log_ = std::make_shared<spdlog::logger>(
      "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log_text_));
  std::unique_ptr<Registry> registry_;
};

}  // namespace svc::machines
