#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/base/environment.h"
#include "svc/base/run.h"
#include "svc/common/json.h"

#include "git.h"
#include "unit/hostworkers/temp_directory.h"

namespace svc::worktrees {

using common::Json;

/// A repository of its own in `repo`, as its user makes it: with plain git, and a configuration of nobody else.
class RepositoryTest : public ::testing::Test {
 protected:
  RepositoryTest() {
    own_ = base::currentEnvironment();
    own_["HOME"] = home().string();
    own_["XDG_CONFIG_HOME"] = (home() / ".config").string();
    std::filesystem::create_directories(home());
    directory_.write("home/.gitconfig",
                     "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n"
                     "\tdefaultBranch = main\n");
    std::filesystem::create_directories(repo());
  }

  [[nodiscard]] std::filesystem::path home() const { return directory_.path() / "home"; }
  [[nodiscard]] std::filesystem::path repo() const { return directory_.path() / "repo"; }
  [[nodiscard]] base::Environment environment() const {
    return gitEnvironment(own_, own_.at("PATH"));
  }

  /// git as its user calls it.
  std::string git(std::vector<std::string> arguments, std::filesystem::path folder = {}) const {
    base::RunOptions run;
    run.program.argv = {"git"};
    std::move(arguments.begin(), arguments.end(), std::back_inserter(run.program.argv));
    run.program.environment = own_;
    run.program.directory = folder.empty() ? repo() : std::move(folder);
    const auto outcome = base::run(run);
    EXPECT_TRUE(outcome.ok() && outcome.value().status.ok())
        << (outcome ? outcome.value().err : outcome.error().message);
    return outcome ? outcome.value().out.substr(0, outcome.value().out.find('\n')) : std::string();
  }
  void write(const std::string& path, std::string_view text) const {
    directory_.write("repo/" + path, text);
  }
  /// A first commit on main with the file "a".
  void begin() const {
    git({"init", "--quiet"});
    write("a", "one\ntwo\nthree\n");
    commit("first");
  }
  void commit(const std::string& message) const {
    git({"add", "-A"});
    git({"commit", "--quiet", "--allow-empty", "-m", message});
  }
  [[nodiscard]] Git open(std::filesystem::path folder = {}) const {
    auto opened = Git::open(folder.empty() ? repo() : std::move(folder), environment(), {});
    EXPECT_TRUE(opened.ok()) << opened.error().message;
    return std::move(opened).value();
  }
  static Json good(const Result<Json>& answer) {
    EXPECT_TRUE(answer.ok()) << answer.error().message;
    return answer ? answer.value() : Json();
  }
  static std::vector<std::string> textsOf(const Json& list, std::string_view member = {}) {
    std::vector<std::string> out;
    for (const auto& each : list.items()) {
      out.push_back(member.empty() ? each.asString() : each[member].asString());
    }
    return out;
  }

  svc::test::TempDirectory directory_;
  base::Environment own_;
};

}  // namespace svc::worktrees
