#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

#include "svc/base/spawn.h"
#include "svc/common/json.h"

#include "dispatch.h"

namespace svc::client {

/// Tries a plugin where nothing can be broken.
class ITrialServer {
 public:
  virtual ~ITrialServer() = default;
  /// Installs the directory on a server that knows nothing yet; the record of the plugin once it has been loaded or given up.
  /// `aborted` when the caller was interrupted.
  [[nodiscard]] virtual Result<common::Json> install(const std::filesystem::path& root) = 0;
};

/// A server of its own data directory, configuration and port, which none of the person's settings reach. It is gone with what it
/// has written when install() returns; it ends with this process in any case.
class TrialServer final : public ITrialServer {
 public:
  TrialServer(const Context& context, int interrupts)
      : context_(context), interrupts_(interrupts) {}
  [[nodiscard]] Result<common::Json> install(const std::filesystem::path& root) override;

 private:
  [[nodiscard]] bool interrupted() const;
  [[nodiscard]] Result<base::ChildProcess> start(const std::filesystem::path& data,
                                                 std::string& url) const;
  [[nodiscard]] Result<common::Json> installOn(Api& api, const std::filesystem::path& root) const;
  [[nodiscard]] Result<common::Json> ask(Api& api, const HttpRequest& request) const;

  const Context& context_;
  int interrupts_;
};

}  // namespace svc::client
