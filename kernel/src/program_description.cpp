// What a program is and what its command line says, as data.
#include <charconv>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "svc/kernel/program.h"

#include "config.h"

namespace svc::kernel {
namespace {

constexpr std::string_view kCommandPrefix = "commands.";

std::string keyOf(std::string_view flag) {
  std::string key;
  bool upper = false;
  for (const char each : flag) {
    if (each == '-') {
      upper = true;
      continue;
    }
    const auto letter = static_cast<unsigned char>(each);
    key += upper ? static_cast<char>(std::toupper(letter)) : each;
    upper = false;
  }
  return key;
}

Status apply(const std::string& key, const std::string& value, ProgramDescription& program) {
  if (key == "modules") {
    program.modules = parseStringList(value);
  } else if (key == "description") {
    program.description = value;
  } else if (key == "configFile") {
    program.config_file = value;
  } else if (key == "dataDirectory") {
    program.data_directory = value;
  } else if (key == "lockFile") {
    program.lock_file = value;
  } else if (key == "logFile") {
    program.log_file = value;
  } else if (key == "listens") {
    program.listens = value == "true";
  } else if (key == "drainMs") {
    std::int64_t milliseconds = 0;
    const auto* end = value.data() + value.size();
    if (std::from_chars(value.data(), end, milliseconds).ptr != end || milliseconds <= 0) {
      return Error{errc::kInvalidArgument,
                   fmt::format("drainMs: expected a positive number, got {}", value)};
    }
    program.drain = std::chrono::milliseconds(milliseconds);
  } else if (key.starts_with(kCommandPrefix)) {
    program.commands[key.substr(kCommandPrefix.size())] = parseStringList(value);
  }
  return {};
}

}  // namespace

Result<ProgramDescription> readProgramDescription(const std::filesystem::path& executable) {
  const auto file = executable.parent_path().parent_path() / "lib/svc/programs" /
                    (executable.filename().string() + ".json");
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  auto pairs = flattenJson(text, file.string(), [](const std::string&) { return false; });
  if (!pairs) {
    return std::move(pairs).error();
  }
  ProgramDescription program;
  bool has_modules = false;
  for (const auto& [key, value] : pairs.value()) {
    has_modules = has_modules || key == "modules";
    if (auto status = apply(key, value, program); !status) {
      return Error{status.error().code,
                   fmt::format("{}: {}", file.string(), status.error().message)};
    }
  }
  if (!has_modules) {
    return Error{errc::kNotFound,
                 fmt::format("{} names no modules; the installation is incomplete", file.string())};
  }
  return program;
}

Status addArguments(const std::vector<std::string>& words, ProgramOptions& options) {
  std::size_t at = 0;
  if (!words.empty()) {
    if (const auto found = options.program.commands.find(words[0]);
        found != options.program.commands.end()) {
      at = 1;
      if (found->second.empty()) {
        options.flags.emplace_back(found->first, "true");
      } else {
        options.command = found->first;
      }
    }
  }
  for (; at < words.size(); ++at) {
    const auto& word = words[at];
    const auto equals = word.find('=');
    if (!word.starts_with("--")) {
      return Error{errc::kInvalidArgument,
                   fmt::format("unexpected argument \"{}\"; see --help", word)};
    }
    if (equals != std::string::npos) {
      options.flags.emplace_back(keyOf(word.substr(2, equals - 2)), word.substr(equals + 1));
    } else if (at + 1 < words.size() && !words[at + 1].starts_with("--")) {
      options.flags.emplace_back(keyOf(word.substr(2)), words[at + 1]);
      ++at;
    } else {
      options.flags.emplace_back(keyOf(word.substr(2)), "true");
    }
  }
  return {};
}

}  // namespace svc::kernel
