#pragma once

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

namespace svc::serverlink {

/// A logger whose lines ("warning: text") a test reads.
class LogLines {
 public:
  LogLines() { logger->set_pattern("%l: %v"); }

  [[nodiscard]] std::vector<std::string> lines() const {
    logger->flush();
    std::istringstream in(out_.str());
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);) {
      all.push_back(line);
    }
    return all;
  }

 private:
  std::ostringstream out_;

 public:
  const std::shared_ptr<spdlog::logger> logger = std::make_shared<spdlog::logger>(
      "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(out_));
};

}  // namespace svc::serverlink
