#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "svc/common/json.h"

#include "console.h"
#include "terminal_keys.h"

namespace svc::client {

/// Whether a line of a plugin's log is a failure that a window has reported.
[[nodiscard]] bool isWindowFailure(const common::Json& entry);

/// What such a line says, with the place in the plugin's sources that its stack names first.
[[nodiscard]] std::string windowFailureText(const common::Json& entry);

/// What a person at a terminal sees and does beside the lines of the development loop.
class IDevCockpit {
 public:
  enum class Wish : std::uint8_t { kNothing, kReload, kQuit };

  virtual ~IDevCockpit() = default;
  /// One of what the watcher waits for beside changes is ready.
  [[nodiscard]] virtual Wish attend() = 0;
  /// The plugin was loaded anew.
  virtual void loaded() = 0;
  /// Shows what the plugin and the open windows have said since the last look.
  virtual void look() = 0;
};

/// What the cockpit asks the server for.
class ICockpitServer {
 public:
  virtual ~ICockpitServer() = default;
  /// Of the plugin in the window; empty without a server.
  [[nodiscard]] virtual std::string pageAddress() = 0;
  /// A page of the plugin's log after this line; without one only the place where it ends.
  [[nodiscard]] virtual Result<common::Json> logAfter(std::optional<std::int64_t> line,
                                                      std::size_t most) = 0;
  /// Opens the inspector; its address for DevTools.
  [[nodiscard]] virtual Result<std::string> inspect() = 0;
  /// Shows the plugin's page in a browser; what is to be printed of it.
  [[nodiscard]] virtual Result<std::string> openPage() = 0;
};

/// The plugin's own tests, which write to the terminal by themselves.
class ITestRun {
 public:
  virtual ~ITestRun() = default;
  [[nodiscard]] virtual Status start() = 0;
  /// Readable when they have ended; -1 while none run.
  [[nodiscard]] virtual int descriptor() = 0;
  /// How they have ended, once; nullopt while they run, and when none do.
  [[nodiscard]] virtual std::optional<std::string> takeEnd() = 0;
};

class DevCockpit final : public IDevCockpit {
 public:
  struct Ports {
    ICockpitServer& server;
    IKeys& keys;
    ITestRun& tests;
  };
  DevCockpit(std::string plugin_id, const Console& console, Ports ports);

  /// The line that names the keys.
  void begin();
  /// For the watcher.
  [[nodiscard]] std::vector<int> descriptors();

  [[nodiscard]] Wish attend() override;
  void loaded() override;
  void look() override;

 private:
  [[nodiscard]] Wish press(char key);
  void help();
  void switchLog();
  void print(const Result<std::string>& told);
  void printEntry(const common::Json& entry);
  /// A failure that was told since the load is told by every window, and at every visit.
  [[nodiscard]] bool isShown(const common::Json& entry);
  void say(std::string_view text) const;

  std::string plugin_id_;
  const Console& console_;
  Ports ports_;
  bool shows_log_ = true;
  std::optional<std::int64_t> last_line_;
  std::set<std::string> told_;
};

}  // namespace svc::client
