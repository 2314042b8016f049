#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "svc/base/spawn.h"

#include "dev_cockpit.h"

namespace svc::client {

/// `npm test` of a plugin beside other work. Its output goes to `output`, a descriptor; it has nothing to read. It ends with this
/// object, and with this process.
class NpmTestRun final : public ITestRun {
 public:
  NpmTestRun(std::filesystem::path root, int output) : root_(std::move(root)), output_(output) {}
  ~NpmTestRun() override;
  NpmTestRun(const NpmTestRun&) = delete;
  NpmTestRun& operator=(const NpmTestRun&) = delete;

  [[nodiscard]] Status start() override;
  [[nodiscard]] int descriptor() override { return child_ ? child_.descriptor() : -1; }
  [[nodiscard]] std::optional<std::string> takeEnd() override;

 private:
  std::filesystem::path root_;
  int output_;
  base::ChildProcess child_;
};

/// Whether `npm run <name>` of this package.json runs something.
[[nodiscard]] bool hasScript(const common::Json& manifest, const char* name);

}  // namespace svc::client
