#pragma once

#include <memory>

#include <spdlog/logger.h>

#include "svc/kernel/executor.h"
#include "svc/storage/start_check.h"

namespace svc::storage {

class SqliteStartCheck final : public IStartCheck {
 public:
  SqliteStartCheck(const IClock& clock, std::shared_ptr<spdlog::logger> log);
  [[nodiscard]] Status check(const std::filesystem::path& data) override;

 private:
  const IClock& clock_;
  const std::shared_ptr<spdlog::logger> log_;
};

}  // namespace svc::storage
