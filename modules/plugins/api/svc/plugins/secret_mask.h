#pragma once

#include <string>

#include "svc/kernel/executor.h"
#include "svc/kernel/service_id.h"

namespace svc::plugins {

/// Keeps secrets out of what is written down: plugin logs, the server's log, errors in records and answers. It works on
/// finished text, at the place where it is written, so nobody has to remember it. Thread-safe.
class ISecretMask {
 public:
  static constexpr ServiceId kId{"svc.plugins.SecretMask", 1};
  /// Shorter secrets are not masked: they are parts of ordinary words, and blanking those tells more than it hides.
  static constexpr std::size_t kMinimum = 4;

  virtual ~ISecretMask() = default;
  /// Replaces `secret` by "***" from now on, until the handle is released. The same secret may be added more than once.
  [[nodiscard]] virtual Handle add(const std::string& secret) = 0;
  /// The text without the secrets.
  [[nodiscard]] virtual std::string apply(std::string text) const = 0;
  /// As apply() for JSON text, which stays JSON: should masking break it, the answer is `{}`.
  [[nodiscard]] virtual std::string applyJson(std::string json) const = 0;
};

}  // namespace svc::plugins
