#include "commands/server_program.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "svc/common/json.h"

#include "processes.h"
#include "text.h"

namespace svc::client {
namespace {

/// Without `--<name> value` and `--<name>=value`.
std::vector<std::string> without(const std::vector<std::string>& words, const std::string& name) {
  std::vector<std::string> result;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (words[at] == name) {
      ++at;
    } else if (!words[at].starts_with(name + "=")) {
      result.push_back(words[at]);
    }
  }
  return result;
}

/// One word for each flag, `--name=value`.
std::vector<std::string> flagsOf(const std::vector<std::string>& words) {
  std::vector<std::string> flags;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const bool has_value = words[at].starts_with("--") &&
                           words[at].find('=') == std::string::npos && at + 1 < words.size() &&
                           !words[at + 1].starts_with("--");
    flags.push_back(has_value ? words[at] + "=" + words[at + 1] : words[at]);
    at += has_value ? 1 : 0;
  }
  return flags;
}

bool names(const std::vector<std::string>& words, const std::string& name) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return word == name || word.starts_with(name + "=");
  });
}

}  // namespace

std::string complaintOf(const ProcessOutcome& outcome) {
  const auto& text = outcome.err.empty() ? outcome.out : outcome.err;
  constexpr std::string_view kName = "svcd: ";
  std::string result;
  for (std::size_t start = 0; start < text.size();) {
    const auto end = std::min(text.find('\n', start), text.size());
    auto line = std::string_view(text).substr(start, end - start);
    line.remove_prefix(line.starts_with(kName) ? kName.size() : 0);
    result.append(result.empty() || line.empty() ? "" : "; ").append(line);
    start = end + 1;
  }
  return oneLine(result);
}

std::vector<std::string> takeDataDir(Context& context, const std::vector<std::string>& words) {
  constexpr std::string_view kFlag = "--data-dir=";
  for (const auto& flag : flagsOf(words)) {
    if (flag.starts_with(kFlag)) {
      context.choice.data_dir = flag.substr(kFlag.size());
    }
  }
  return without(words, "--data-dir");
}

std::vector<std::string> unknownTo(const std::vector<std::string>& running,
                                   const std::vector<std::string>& words) {
  const auto known = flagsOf(running);
  auto flags = flagsOf(words);
  std::erase_if(flags, [&](const std::string& flag) {
    return std::find(known.begin(), known.end(), flag) != known.end();
  });
  return flags;
}

std::vector<std::string> withDataDir(const Context& context, std::vector<std::string> words) {
  if (!names(words, "--data-dir")) {
    words.insert(words.begin(),
                 {"--data-dir", dataDir(context.choice, context.environment).string()});
  }
  return words;
}

Result<ProcessOutcome> askServerProgram(const Context& context,
                                        const std::vector<std::string>& flags,
                                        const std::optional<std::string>& config_file) {
  const auto program = context.environment.program_dir / "svcd";
  const auto data = dataDir(context.choice, context.environment);
  ProcessRequest request;
  std::vector<std::string> words;
  if (const auto owner = lockOwner(data)) {
    words = argumentsOf(*owner);
    request.environment = variablesOf(*owner);
  }
  words = withDataDir(context, std::move(words));
  if (config_file) {
    words = without(words, "--config");
    words.insert(words.end(), {"--config", *config_file});
  }
  words.insert(words.end(), flags.begin(), flags.end());
  request.argv = {program.string()};
  request.argv.insert(request.argv.end(), words.begin(), words.end());
  auto outcome = context.execute(request);
  if (!outcome && outcome.error().code == errc::kNotFound) {
    return Error{errc::kNotFound,
                 "there is no svcd beside this program (" + program.string() + ")"};
  }
  return outcome;
}

Status mayStart(const ProcessOutcome& outcome) {
  if (outcome.exit_code != 0) {
    return Error{errc::kInvalidArgument, complaintOf(outcome)};
  }
  const auto view = common::Json::parse(outcome.out);
  if (!view) {
    return view.error();
  }
  std::string refused;
  for (const auto& problem : view.value()["problems"].items()) {
    if (problem["code"].asString() != errc::kUnavailable.name()) {
      refused.append(refused.empty() ? "" : "; ").append(problem["message"].asString());
    }
  }
  return refused.empty() ? Status() : Status(Error{errc::kInvalidArgument, oneLine(refused)});
}

Status checkStart(const Context& context, const std::vector<std::string>& arguments) {
  ProcessRequest request;
  request.argv = withDataDir(context, arguments);
  request.argv.insert(request.argv.begin(), (context.environment.program_dir / "svcd").string());
  request.argv.emplace_back("--print-config");
  const auto outcome = context.execute(request);
  return outcome ? mayStart(outcome.value()) : Status(outcome.error());
}

}  // namespace svc::client
