#pragma once

#include <stdexcept>
#include <string>

#include "svc/common/json.h"

#include "files.h"
#include "process.h"

namespace svc::installs {

/// A git repository a test writes into. Its URL is what a source names.
class Repository {
 public:
  Repository() { git({"init", "--quiet", "--initial-branch=main", "."}); }

  [[nodiscard]] std::string url() const { return "file://" + files.path().string(); }
  void commit(const std::string& message = "change") {
    git({"add", "--all", "--force"});
    git({"commit", "--quiet", "--allow-empty", "-m", message});
  }
  void tag(const std::string& name, bool force = false) {
    git({"tag", "-a", name, "-m", name, force ? "--force" : "--no-column"});
  }
  [[nodiscard]] std::string head() {
    auto out = git({"rev-parse", "HEAD"});
    out.pop_back();
    return out;
  }
  std::string git(std::vector<std::string> arguments) {
    Command command;
    command.argv = {"git", "-c", "user.name=Test", "-c", "user.email=test@example.org"};
    command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
    command.directory = files.path();
    auto out = Processes().run(command, {});
    if (!out || out.value().exit_code != 0) {
      throw std::runtime_error("git failed: " + (out ? out.value().err : out.error().message));
    }
    return out.value().out;
  }

  TempDir files;
};

/// package.json of a plugin; `more` is spliced into its svc object.
inline std::string manifest(const std::string& name, const std::string& version,
                            const std::string& more = "", const std::string& engine = "*") {
  return R"({"name":")" + name + R"(","version":")" + version + R"(","engines":{"svc":")" + engine +
         R"("},"svc":{"server":"server.js")" + more + "}}";
}

}  // namespace svc::installs
