#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "svc/base/spawn.h"
#include "svc/common/json.h"

#include "dispatch.h"
#include "setting_values.h"

namespace svc::client {

/// What became of a plugin there.
struct Trial {
  /// Of the plugin, once it has been loaded or given up.
  common::Json record;
  /// Settings that have neither a value nor a default.
  std::vector<std::string> unset{};
};

/// Tries a plugin where nothing can be broken.
class ITrialServer {
 public:
  virtual ~ITrialServer() = default;
  /// Installs the directory on a server that knows nothing yet, and saves the settings there. Errors: `aborted` when the caller was
  /// interrupted; of a setting that the plugin does not take.
  [[nodiscard]] virtual Result<Trial> install(const std::filesystem::path& root,
                                              const std::vector<TypedSetting>& settings) = 0;
};

/// A server of its own data directory, configuration and port, which none of the person's settings reach. It is gone with what it
/// has written when install() returns; it ends with this process in any case.
class TrialServer final : public ITrialServer {
 public:
  TrialServer(const Context& context, int interrupts)
      : context_(context), interrupts_(interrupts) {}
  [[nodiscard]] Result<Trial> install(const std::filesystem::path& root,
                                      const std::vector<TypedSetting>& settings) override;

 private:
  [[nodiscard]] bool interrupted() const;
  [[nodiscard]] Result<base::ChildProcess> start(const std::filesystem::path& data,
                                                 std::string& url) const;
  [[nodiscard]] Result<Trial> tryOn(Api& api, const std::filesystem::path& root,
                                    const std::vector<TypedSetting>& settings) const;
  /// The id of the plugin.
  [[nodiscard]] Result<std::string> installOn(Api& api, const std::filesystem::path& root) const;
  /// The record once the plugin is starting no longer.
  [[nodiscard]] Result<common::Json> awaitLoad(Api& api, const std::string& path) const;
  [[nodiscard]] Status save(Api& api, const std::string& path, const common::Json& schema,
                            const std::vector<TypedSetting>& settings) const;
  [[nodiscard]] Result<common::Json> ask(Api& api, const HttpRequest& request) const;

  const Context& context_;
  int interrupts_;
};

}  // namespace svc::client
