#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "svc/kernel/result.h"

namespace svc {

class IConfig;

/// Which values of its type a key may have; its other keys may count as well. Pure, but for looking at the machine; any
/// thread. The error says what is expected and what is there, not the key: `expected a number from 0 to 65535, got 99999`.
/// `unavailable` when the value is fine and what it names is not there: such a value is not saved, but does not keep the
/// program from starting.
using ConfigRule = Status (*)(const IConfig& config, std::string_view key);

enum class ConfigType : std::uint8_t {
  kString,
  kInteger,
  kBoolean,
  kStringList,
  /// Any JSON value; read as JSON text.
  kJson,
};

/// One setting a module understands. Keys are dotted camelCase ("listen.port"); the environment name is derived
/// (SVC_LISTEN_PORT), the flag is `--listen.port`. A key ending in ".*" declares every key below it, as JSON.
struct ConfigKey {
  std::string_view key;
  ConfigType type = ConfigType::kString;
  /// Text of the default: lists as a JSON array, booleans as true or false. Empty means unset for strings.
  std::string_view default_value;
  std::string_view help;
  /// Null = every value of the type. See svc/kernel/config_rules.h.
  ConfigRule rule = nullptr;
};

/// Read-only view of the layered configuration: flag > environment > file > default. Values are validated
/// against the declared type and rule before any module starts, so reads cannot fail. Thread-safe after start-up.
class IConfig {
 public:
  virtual ~IConfig() = default;
  /// Reading a key that no module declared is a programming error and asserts.
  [[nodiscard]] virtual std::string getString(std::string_view key) const = 0;
  [[nodiscard]] virtual std::int64_t getInteger(std::string_view key) const = 0;
  [[nodiscard]] virtual bool getBoolean(std::string_view key) const = 0;
  [[nodiscard]] virtual std::vector<std::string> getStringList(std::string_view key) const = 0;
  /// JSON text of the value at or below the key; "null" when unset.
  [[nodiscard]] virtual std::string getJson(std::string_view key) const = 0;
  /// "flag", "environment", "file" or "default".
  [[nodiscard]] virtual std::string origin(std::string_view key) const = 0;
};

}  // namespace svc
