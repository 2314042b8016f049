#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "svc/common/json.h"

namespace svc::threads::frames {

/// One thing that happens to an agent: an update of ACP, or one of "$ask", "$end".
using Script = std::vector<common::Json>;
/// What an agent does in one turn, from a seed.
[[nodiscard]] Script scriptOf(std::uint64_t seed);

/// The daemon of a machine with one session of an agent that follows a script: transcript and event log are those of agentd.
class FrameDaemon {
 public:
  using Send = std::function<void(std::string frame)>;
  FrameDaemon(std::uint64_t seed, Send send);
  ~FrameDaemon();
  FrameDaemon(const FrameDaemon&) = delete;
  FrameDaemon& operator=(const FrameDaemon&) = delete;

  /// What it answers to a command.
  [[nodiscard]] common::Json answer(const common::Json& command);
  void acknowledge(std::uint64_t seq);
  void disconnect();
  /// The agent does the next thing; false when it has nothing to do until somebody says something.
  bool go();
  /// Everything has been acknowledged.
  [[nodiscard]] bool isSettled() const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace svc::threads::frames
