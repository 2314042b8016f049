#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

#include "svc/base/fd.h"
#include "svc/base/spawn.h"
#include "svc/kernel/result.h"

namespace svc::common {

/// A child process in a group of its own that is spoken to in lines. Every call blocks; one thread at a time. It ends,
/// with its descendants, when this object does.
class BuilderProcess {
 public:
  BuilderProcess() = default;
  BuilderProcess(const BuilderProcess&) = delete;
  BuilderProcess& operator=(const BuilderProcess&) = delete;
  ~BuilderProcess();

  /// The program is looked for on PATH when it has no slash.
  [[nodiscard]] Status start(const std::vector<std::string>& argv);
  [[nodiscard]] Status send(const std::string& text);
  /// The next line without its end. Errors: `timeout`, `aborted` (stop), `unavailable` (it has ended).
  [[nodiscard]] Result<std::string> readLine(std::chrono::steady_clock::time_point deadline,
                                             const std::stop_token& stop);

 private:
  [[nodiscard]] bool takeLine(std::string& line);
  [[nodiscard]] Status readMore(int timeout_ms, int wake);
  [[nodiscard]] Error ended();

  std::string name_;
  base::ChildProcess child_;
  /// A socket, because writing to one does not raise SIGPIPE.
  base::Fd input_;
  base::Fd output_;
  base::Fd errors_;
  std::string buffer_;
  std::size_t scanned_ = 0;
  std::string said_;  ///< the end of what it wrote to its standard error
};

}  // namespace svc::common
