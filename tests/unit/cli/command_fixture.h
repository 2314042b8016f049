#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mocks/mock_generation.h"
#include "mocks/mock_loaded_plugins.h"

namespace svc::cli {

/// A generation that keeps its registration and its problems.
class FakeCommandGeneration : public ::testing::NiceMock<plugins::MockGeneration> {
 public:
  FakeCommandGeneration(std::string id, std::uint64_t load_id, const std::string& registration_json)
      : id_(std::move(id)) {
    auto parsed = common::Json::parse(registration_json);
    registration_now = parsed ? std::move(parsed).value() : common::Json();
    ON_CALL(*this, pluginId).WillByDefault(::testing::ReturnRef(id_));
    ON_CALL(*this, loadId).WillByDefault(::testing::Return(load_id));
    ON_CALL(*this, registration("cli")).WillByDefault([this](const std::string&) {
      return registration_now;
    });
    ON_CALL(*this, setRegistration("cli", ::testing::_))
        .WillByDefault([this](const std::string&, common::Json value) {
          ++writes;
          registration_now = std::move(value);
        });
    ON_CALL(*this, addProblem).WillByDefault([this](const plugins::Problem& problem) {
      problems.push_back(problem.message);
      problem_codes.push_back(problem.code);
    });
    ON_CALL(*this, removeProblem).WillByDefault([this](std::string_view code) {
      std::erase(problem_codes, code);
    });
  }

  common::Json registration_now;
  std::vector<std::string> problems;
  std::vector<std::string> problem_codes;
  int writes = 0;

 private:
  std::string id_;
};

class CommandFixture : public ::testing::Test {
 protected:
  CommandFixture() {
    ON_CALL(loaded_, all).WillByDefault([this] {
      std::vector<plugins::GenerationPtr> all;
      for (const auto& [id, generation] : generations_) {
        all.push_back(generation);
      }
      return all;
    });
  }

  std::shared_ptr<FakeCommandGeneration> load(const std::string& id,
                                              const std::string& registration) {
    auto generation = std::make_shared<FakeCommandGeneration>(id, ++last_load_, registration);
    generations_[id] = generation;
    return generation;
  }
  void unload(const std::string& id) { generations_.erase(id); }

  static plugins::PluginRecord record(std::string id, plugins::PluginStatus status,
                                      std::string description = {}) {
    plugins::PluginRecord made;
    made.id = std::move(id);
    made.status = status;
    made.description = std::move(description);
    return made;
  }

  ::testing::NiceMock<plugins::MockLoadedPlugins> loaded_;
  std::map<std::string, std::shared_ptr<FakeCommandGeneration>> generations_;
  std::uint64_t last_load_ = 0;
};

}  // namespace svc::cli
