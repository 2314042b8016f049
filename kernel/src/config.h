#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <Poco/AutoPtr.h>
#include <Poco/Util/LayeredConfiguration.h>

#include "svc/kernel/config.h"
#include "svc/kernel/result.h"

namespace svc::kernel {

using ConfigPairs = std::vector<std::pair<std::string, std::string>>;

/// The inputs of a configuration. Values are text; lists and JSON values are JSON text.
struct ConfigSources {
  ConfigPairs flags;
  std::map<std::string, std::string> environment;
  std::string file_name;
  /// Content of the file; empty when there is none.
  std::string file_text;
};

/// A value that the rule of its key refuses; the message has key, value and where it is from.
struct ConfigProblem {
  std::string key;
  Error error;
};

/// Layers flag > environment > file > default over Poco's layered configuration and checks every key and the type of every value.
class Config final : public IConfig {
 public:
  /// Fails with the first flag or variable that is unknown (naming the nearest known one) or of the wrong type. In the file these are
  /// problems, and count as not set: who corrects one of them is not held up by the others.
  [[nodiscard]] static Result<Config> create(std::vector<ConfigKey> keys,
                                             const ConfigSources& sources);

  [[nodiscard]] std::string getString(std::string_view key) const override;
  [[nodiscard]] std::int64_t getInteger(std::string_view key) const override;
  [[nodiscard]] bool getBoolean(std::string_view key) const override;
  [[nodiscard]] std::vector<std::string> getStringList(std::string_view key) const override;
  [[nodiscard]] std::string getJson(std::string_view key) const override;
  [[nodiscard]] std::string origin(std::string_view key) const override;

  [[nodiscard]] const std::vector<ConfigKey>& keys() const { return keys_; }
  /// What the file has that is no value of a key, and what the rules of the keys say, one problem for each key. Rules may block for a moment.
  [[nodiscard]] std::vector<ConfigProblem> problems() const;
  /// What they say of values in the file that a variable or flag overrides: nothing starts with them once that is gone.
  /// `sources` are those of this configuration.
  [[nodiscard]] std::vector<ConfigProblem> maskedProblems(const ConfigSources& sources) const;

  /// SVC_LISTEN_ALLOWED_HOSTS for listen.allowedHosts.
  [[nodiscard]] static std::string environmentName(std::string_view key);

 private:
  Config(std::vector<ConfigKey> keys, std::string file_name);
  [[nodiscard]] const ConfigKey* declared(std::string_view key) const;
  [[nodiscard]] Status apply(const std::string& layer, int priority, const ConfigPairs& pairs);
  [[nodiscard]] std::optional<ConfigProblem> problemOf(const ConfigKey& key) const;
  [[nodiscard]] Result<std::string> checkedValue(const std::string& key, const std::string& value,
                                                 const std::string& layer) const;
  [[nodiscard]] Error unknownKey(const std::string& key, const std::string& where) const;
  [[nodiscard]] std::string read(std::string_view key) const;

  std::vector<ConfigKey> keys_;
  Poco::AutoPtr<Poco::Util::LayeredConfiguration> layers_;
  std::map<std::string, std::string, std::less<>> origins_;
  std::string file_name_;
  std::vector<ConfigProblem> refused_;  ///< of the file
};

/// Flattens a JSON object (comments and trailing commas allowed) to dotted keys; stops at keys that `is_leaf`
/// accepts, whose values are kept as JSON text. Strings are unquoted.
[[nodiscard]] Result<ConfigPairs> flattenJson(
    const std::string& text, const std::string& file_name,
    const std::function<bool(const std::string&)>& is_leaf);
/// A configuration as a JSON array of {key, type, value, default, origin, help}, by key; what is not set is null.
[[nodiscard]] std::string describeConfig(const std::vector<ConfigKey>& keys, const IConfig& config);
/// The text as a JSON string.
[[nodiscard]] std::string quoted(const std::string& text);
/// Checks `value` against `type`; returns it in canonical form.
[[nodiscard]] Result<std::string> checkConfigValue(ConfigType type, const std::string& value);
[[nodiscard]] std::vector<std::string> parseStringList(const std::string& json);
/// The candidate with the smallest edit distance; empty when none is reasonably near.
[[nodiscard]] std::string nearestName(std::string_view name,
                                      const std::vector<std::string>& candidates);

}  // namespace svc::kernel
