#include "config.h"

#include <algorithm>
#include <cctype>

#include <Poco/Util/LayeredConfiguration.h>
#include <Poco/Util/MapConfiguration.h>
#include <fmt/format.h>

namespace svc::kernel {
namespace {

constexpr int kFlagPriority = 1;
constexpr int kEnvironmentPriority = 2;
constexpr int kFilePriority = 3;
constexpr int kDefaultPriority = 4;

/// "plugins.overrides.*" declares "plugins.overrides" as one JSON value.
std::string_view baseName(std::string_view key) {
  return key.ends_with(".*") ? key.substr(0, key.size() - 2) : key;
}

}  // namespace

Config::Config(std::vector<ConfigKey> keys, std::string file_name)
    : keys_(std::move(keys)),
      layers_(new Poco::Util::LayeredConfiguration),
      file_name_(std::move(file_name)) {
  for (auto& key : keys_) {
    if (key.key.ends_with(".*")) {
      key.type = ConfigType::kJson;
      key.key = baseName(key.key);
    }
  }
}

Result<Config> Config::create(std::vector<ConfigKey> keys, const ConfigSources& sources) {
  Config config(std::move(keys), sources.file_name);
  ConfigPairs defaults;
  ConfigPairs environment;
  for (const auto& key : config.keys_) {
    if (!key.default_value.empty()) {
      defaults.emplace_back(key.key, key.default_value);
    }
    const auto found = sources.environment.find(environmentName(key.key));
    if (found != sources.environment.end()) {
      environment.emplace_back(key.key, found->second);
    }
  }
  auto file = flattenJson(sources.file_text, sources.file_name, [&config](const std::string& key) {
    return config.declared(key) != nullptr;
  });
  if (!file) {
    return std::move(file).error();
  }
  // Lowest precedence first, so that origins_ ends with the winner.
  if (auto status = config.apply("default", kDefaultPriority, defaults); !status) {
    return std::move(status).error();
  }
  if (auto status = config.apply(sources.file_name, kFilePriority, file.value()); !status) {
    return std::move(status).error();
  }
  if (auto status = config.apply("environment", kEnvironmentPriority, environment); !status) {
    return std::move(status).error();
  }
  if (auto status = config.apply("flag", kFlagPriority, sources.flags); !status) {
    return std::move(status).error();
  }
  return config;
}

Status Config::apply(const std::string& layer, int priority, const ConfigPairs& pairs) {
  Poco::AutoPtr<Poco::Util::MapConfiguration> map(new Poco::Util::MapConfiguration);
  for (const auto& [key, value] : pairs) {
    auto checked = checkedValue(key, value, layer);
    if (!checked && priority == kFilePriority) {
      refused_.push_back({key, std::move(checked).error()});
      continue;
    }
    if (!checked) {
      return std::move(checked).error();
    }
    map->setString(key, checked.value());
    origins_[key] = priority == kFilePriority ? "file" : layer;
  }
  layers_->add(map, priority, false);
  return {};
}

Result<std::string> Config::checkedValue(const std::string& key, const std::string& value,
                                         const std::string& layer) const {
  const auto* declaration = declared(key);
  if (declaration == nullptr) {
    return unknownKey(key, layer);
  }
  auto checked = checkConfigValue(declaration->type, value);
  if (!checked) {
    return Error{errc::kInvalidArgument,
                 fmt::format("{}: {} (from {})", key, checked.error().message,
                             layer == "environment" ? environmentName(key) : layer)};
  }
  return checked;
}

Error Config::unknownKey(const std::string& key, const std::string& where) const {
  std::vector<std::string> names;
  names.reserve(keys_.size());
  for (const auto& known : keys_) {
    names.emplace_back(known.key);
  }
  const auto nearest = nearestName(key, names);
  return Error{errc::kInvalidArgument,
               fmt::format("unknown configuration key \"{}\" (from {}){}", key, where,
                           nearest.empty() ? std::string{}
                                           : fmt::format("; did you mean \"{}\"?", nearest))};
}

const ConfigKey* Config::declared(std::string_view key) const {
  const auto found = std::find_if(keys_.begin(), keys_.end(),
                                  [key](const ConfigKey& known) { return known.key == key; });
  return found == keys_.end() ? nullptr : &*found;
}

std::string Config::read(std::string_view key) const {
  SVC_ASSERT(declared(baseName(key)) != nullptr);
  return layers_->getRawString(std::string(baseName(key)), "");
}

std::string Config::getString(std::string_view key) const { return read(key); }

std::int64_t Config::getInteger(std::string_view key) const {
  const auto text = read(key);
  return text.empty() ? 0 : std::stoll(text);
}

bool Config::getBoolean(std::string_view key) const { return read(key) == "true"; }

std::vector<std::string> Config::getStringList(std::string_view key) const {
  return parseStringList(read(key));
}

std::string Config::getJson(std::string_view key) const {
  const auto text = read(key);
  return text.empty() ? "null" : text;
}

std::string Config::origin(std::string_view key) const {
  const auto found = origins_.find(baseName(key));
  return found == origins_.end() ? "default" : found->second;
}

std::optional<ConfigProblem> Config::problemOf(const ConfigKey& key) const {
  const auto said =
      key.rule == nullptr ? Status() : guarded([&] { return key.rule(*this, key.key); });
  if (said) {
    return std::nullopt;
  }
  const auto layer = origin(key.key);
  const auto where = layer == "environment" ? environmentName(key.key)
                     : layer == "file"      ? file_name_
                                            : layer;
  return ConfigProblem{
      std::string(key.key),
      {said.error().code, fmt::format("{}: {} (from {})", key.key, said.error().message, where)}};
}

std::vector<ConfigProblem> Config::problems() const {
  auto out = refused_;
  for (const auto& key : keys_) {
    if (auto problem = problemOf(key)) {
      out.push_back(std::move(*problem));
    }
  }
  return out;
}

std::vector<ConfigProblem> Config::maskedProblems(const ConfigSources& sources) const {
  std::vector<ConfigProblem> out;
  for (const auto& key : keys_) {
    const auto layer = origin(key.key);
    if (key.rule == nullptr || (layer != "flag" && layer != "environment")) {
      continue;
    }
    // The other keys stay as they are: a rule may count on them.
    auto unmasked = sources;
    std::erase_if(unmasked.flags, [&key](const auto& flag) { return flag.first == key.key; });
    unmasked.environment.erase(environmentName(key.key));
    const auto config = create(keys_, unmasked);
    if (!config || config.value().origin(key.key) != "file") {
      continue;
    }
    if (auto problem = config.value().problemOf(key)) {
      out.push_back(std::move(*problem));
    }
  }
  return out;
}

std::string Config::environmentName(std::string_view key) {
  std::string name = "SVC_";
  for (const char character : key) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '.' || character == '-') {
      name += '_';
    } else {
      if (std::isupper(byte) != 0) {
        name += '_';
      }
      name += static_cast<char>(std::toupper(byte));
    }
  }
  return name;
}

std::string nearestName(std::string_view name, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 2);
  for (const auto& candidate : candidates) {
    std::vector<std::size_t> row(candidate.size() + 1);
    for (std::size_t at = 0; at < row.size(); ++at) {
      row[at] = at;
    }
    for (std::size_t line = 1; line <= name.size(); ++line) {
      std::size_t diagonal = row[0];
      row[0] = line;
      for (std::size_t at = 1; at < row.size(); ++at) {
        const std::size_t substitute = diagonal + (name[line - 1] == candidate[at - 1] ? 0 : 1);
        diagonal = row[at];
        row[at] = std::min({substitute, row[at] + 1, row[at - 1] + 1});
      }
    }
    if (row.back() <= best_distance) {
      best_distance = row.back() == 0 ? 0 : row.back() - 1;
      best = candidate;
    }
  }
  return best;
}

}  // namespace svc::kernel
