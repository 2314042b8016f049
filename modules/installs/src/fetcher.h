#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>

#include "process.h"

namespace svc::installs {

/// Files over https (http on this machine), through the machine's curl with its proxies and certificates. Thread-safe;
/// blocks. Errors: `unavailable`, `too_large`, `install_refused` (not_found).
class Fetcher {
 public:
  explicit Fetcher(IProcesses& processes) : processes_(processes) {}
  /// `limit` is in bytes; `limit_name` stands in the message.
  [[nodiscard]] Status fetch(const std::string& url, const std::filesystem::path& file,
                             std::uint64_t limit, const std::string& limit_name,
                             const std::stop_token& stop);

 private:
  /// Where a redirect leads; empty when the file is there.
  [[nodiscard]] Result<std::string> fetchOnce(const std::string& url,
                                              const std::filesystem::path& file,
                                              std::uint64_t limit, const std::string& limit_name,
                                              const std::stop_token& stop);

  IProcesses& processes_;
};

}  // namespace svc::installs
