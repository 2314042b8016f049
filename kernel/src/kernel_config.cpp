#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "svc/kernel/config_rules.h"

#include "kernel.h"

namespace svc::kernel {
namespace {

Status isLevel(const IConfig& config, std::string_view key) {
  const auto level = Logging::level(config.getString(key));
  return level ? Status() : Status(level.error());
}

Status isFormat(const IConfig& config, std::string_view key) {
  return config_rules::oneOf(config.getString(key), {"auto", "text", "json"});
}

constexpr std::array kKernelKeys{
    ConfigKey{"log.level", ConfigType::kString, "info", "trace, debug, info, warn, error or off",
              isLevel},
    ConfigKey{"log.format", ConfigType::kString, "auto",
              "auto (text on a terminal, JSON lines elsewhere), text or json", isFormat},
    ConfigKey{"modules.set", ConfigType::kStringList, "",
              "modules to load instead of the default set"},
    ConfigKey{"modules.add", ConfigType::kStringList, "", "modules to load beside the set"},
    ConfigKey{"modules.path", ConfigType::kStringList, "",
              "further directories with module libraries"},
    ConfigKey{"providers.*", ConfigType::kJson, "",
              "service id to module, when two modules offer one"},
};

std::string joined(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

Status Kernel::readModuleSettings(std::vector<std::string>& names, ProviderChoice& providers) {
  // The module set decides which keys exist, so its own keys are read first, leniently.
  ConfigSources only_kernel = options_.config;
  const auto is_kernel_key = [](const std::string& key) {
    return std::any_of(kKernelKeys.begin(), kKernelKeys.end(), [&key](const ConfigKey& known) {
      return known.key == key || (known.key.ends_with(".*") && known.key == key + ".*");
    });
  };
  std::erase_if(only_kernel.flags, [&](const auto& flag) { return !is_kernel_key(flag.first); });
  auto file = flattenJson(only_kernel.file_text, only_kernel.file_name, is_kernel_key);
  if (!file) {
    return std::move(file).error();
  }
  only_kernel.file_text.clear();
  std::erase_if(file.value(), [&](const auto& pair) { return !is_kernel_key(pair.first); });
  ConfigPairs flags = std::move(file).value();  // same layer, but flags come later and win
  flags.insert(flags.end(), only_kernel.flags.begin(), only_kernel.flags.end());
  only_kernel.flags = std::move(flags);
  auto config = Config::create({kKernelKeys.begin(), kKernelKeys.end()}, only_kernel);
  if (!config) {
    return std::move(config).error();
  }
  names = config.value().getStringList("modules.set");
  if (names.empty()) {
    names = options_.default_modules;
  }
  for (auto& name : config.value().getStringList("modules.add")) {
    names.push_back(std::move(name));
  }
  for (const auto& directory : config.value().getStringList("modules.path")) {
    options_.module_directories.push_back(std::filesystem::absolute(directory));
  }
  auto pairs = flattenJson(
      config.value().getJson("providers") == "null" ? "" : config.value().getJson("providers"),
      "providers", [](const std::string&) { return false; });
  if (!pairs) {
    return std::move(pairs).error();
  }
  providers = ProviderChoice(pairs.value().begin(), pairs.value().end());
  return {};
}

std::vector<ConfigKey> Kernel::configKeys(const std::vector<LoadedLibrary>& libraries) const {
  std::vector<ConfigKey> keys(kKernelKeys.begin(), kKernelKeys.end());
  for (const auto& library : libraries) {
    keys.insert(keys.end(), library.descriptor->config.begin(), library.descriptor->config.end());
  }
  return keys;
}

Status Kernel::checkConfig(std::vector<std::string>& missing) const {
  for (auto& [key, error] : configProblems()) {
    if (error.code != errc::kUnavailable) {
      return std::move(error);
    }
    missing.push_back(std::move(error.message));
  }
  return {};
}

Handle Kernel::applyLogLevel() {
  return config_->add({.keys = {"log.level"}, .apply = [this](const IConfig& now) {
                         logging_->setLevel(Logging::level(now.getString("log.level")).value());
                       }});
}

void Kernel::reloadConfig() {
  loop_.post([this] {
    if (config_ && !stop_requested_) {
      config_->reload([](const auto&) {});
    }
  });
}

void Kernel::reportReload(const Result<IConfigChanges::Outcome>& outcome) const {
  if (!outcome) {
    log_->error("the configuration is left as it was: {}", outcome.error().message);
    return;
  }
  const auto& [applied, need_restart] = outcome.value();
  log_->info("configuration read again; applied: {}",
             applied.empty() ? "nothing" : joined(applied));
  if (!need_restart.empty()) {
    log_->warn("changes of {} take effect when {} is restarted", joined(need_restart),
               options_.program);
  }
}

}  // namespace svc::kernel
