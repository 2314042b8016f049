#include "command_source.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/mcp.h"

#include "agent_tool_source.h"

namespace svc::mcp {
namespace {

using common::Json;

const std::string kPrefix = "cli_";

/// FNV-1a: tells names apart whose beginnings are the same, today and after every restart.
std::uint32_t digestOf(std::string_view text) {
  std::uint32_t digest = 2166136261U;
  for (const char c : text) {
    digest = (digest ^ static_cast<unsigned char>(c)) * 16777619U;
  }
  return digest;
}

std::string callOf(const cli::Command& command) {
  return command.shadowed ? "svc plugin run " + command.plugin_id : "svc " + command.name;
}

std::string description(const cli::Command& command) {
  auto text =
      fmt::format("Runs `{}`, a command of the plugin {}.", callOf(command), command.plugin_id);
  if (!command.summary.empty()) {
    text = command.summary + "\n\n" + text;
  }
  if (!command.commands.empty()) {
    text += "\n";
  }
  for (const auto& entry : command.commands) {
    text +=
        fmt::format("\n- `{}`{}{}", entry.usage, entry.summary.empty() ? "" : " — ", entry.summary);
  }
  return text;
}

Json inputSchema(const cli::Command& command) {
  const auto text = Json::object().set("type", "string");
  return Json::object()
      .set("type", "object")
      .set(
          "properties",
          Json::object()
              .set("args",
                   Json::object()
                       .set("type", "array")
                       .set("items", text)
                       .set("description", fmt::format("The words after `{}`, one argument each; "
                                                       "[\"--help\"] shows what there is.",
                                                       callOf(command))))
              .set("cwd",
                   Json::object()
                       .set("type", "string")
                       .set("description",
                            "The directory that relative paths are meant from; an absolute path.")))
      .set("required", Json::Array{"args"})
      .set("additionalProperties", false);
}

Json definition(const std::string& name, const cli::Command& command) {
  const auto title = callOf(command);
  return Json::object()
      .set("name", name)
      .set("title", title)
      .set("description", description(command))
      .set("inputSchema", inputSchema(command))
      .set("annotations", Json::object().set("title", title));
}

/// As on a command line: what is behind `--` is the command's.
bool asksForHelp(const std::vector<std::string>& argv) {
  return std::any_of(argv.begin(), std::find(argv.begin(), argv.end(), "--"),
                     [](const std::string& word) { return word == "--help" || word == "-h"; });
}

/// What is wrong with the arguments is the error.
Result<cli::CommandRun> runOf(const Json& arguments) {
  cli::CommandRun run;
  for (const auto& [name, value] : arguments.members()) {
    if (name == "args") {
      for (const auto& word : value.items()) {
        if (!word.isString()) {
          return Error{errc::kInvalidInput, "args: expected strings"};
        }
        run.argv.push_back(word.asString());
      }
    } else if (name == "cwd") {
      if (!value.isString()) {
        return Error{errc::kInvalidInput, "cwd: expected a string"};
      }
      run.cwd = value.asString();
    } else {
      return Error{errc::kInvalidInput, fmt::format("there is no argument \"{}\"", name)};
    }
  }
  if (!arguments["args"].isArray()) {
    return Error{errc::kInvalidInput, "args: expected an array of strings"};
  }
  return run;
}

Answer answerOf(const cli::CommandOutcome& outcome) {
  const bool failed = outcome.exit_code != 0;
  auto content = Json::array();
  const auto add = [&content](const std::string& text) {
    content.push(Json::object().set("type", "text").set("text", text));
  };
  if (!outcome.out.empty() || (outcome.err.empty() && !failed)) {
    add(outcome.out);
  }
  if (!outcome.err.empty()) {
    add(outcome.err);
  }
  if (failed) {
    add(fmt::format("exit code {}", outcome.exit_code));
  }
  return {.result = common::RawJson(
              Json::object().set("content", std::move(content)).set("isError", failed).dump()),
          .failed = failed};
}

}  // namespace

std::string toolName(const cli::Command& command) {
  auto name = kPrefix + command.name;
  if (command.shadowed) {
    name += "_" + command.plugin_id;
  }
  if (name.size() <= limits::kMcpToolName) {
    return name;
  }
  const auto end = fmt::format("_{:08x}", digestOf(name));
  return name.substr(0, limits::kMcpToolName - end.size()) + end;
}

std::string pluginOfToolName(std::string_view name) {
  return name.starts_with(kPrefix) ? std::string(name.substr(name.rfind('_') + 1)) : std::string();
}

Json CommandSource::capabilities() const {
  return Json::object().set("tools", Json::object().set("listChanged", true));
}

std::string CommandSource::instructions(const Caller& caller) {
  const auto commands = commands_.list();
  return std::none_of(commands.begin(), commands.end(),
                      [&](const cli::Command& command) {
                        return caller.seesTool(toolName(command), command.plugin_id);
                      })
             ? std::string()
             : "Tools named cli_… run commands of plugins as `svc …` does on a command line.";
}

std::vector<Item> CommandSource::list(ListKind kind, const Caller& /*caller*/) {
  std::vector<Item> items;
  if (kind != ListKind::kTools) {
    return items;
  }
  Helps helps;
  for (const auto& command : commands_.list()) {
    auto name = toolName(command);
    items.push_back({name, common::RawJson(definition(name, command).dump()), command.plugin_id});
    if (!command.renders_help) {
      helps.emplace(std::move(name), description(command));
    }
  }
  const std::scoped_lock lock(mutex_);
  helps_ = std::move(helps);
  return items;
}

std::string CommandSource::helpOf(const std::string& tool) {
  const std::scoped_lock lock(mutex_);
  const auto found = helps_.find(tool);
  return found == helps_.end() ? std::string() : found->second;
}

void CommandSource::answer(Request request, Completion<Answer> done) {
  const auto arguments = argumentsOf(request);
  if (!arguments) {
    done(arguments.error());
    return;
  }
  if (auto problem = goesOnFromNowhere(request)) {
    done(*std::move(problem));
    return;
  }
  const auto parsed = Json::parse(arguments.value().text());
  auto run = parsed ? runOf(parsed.value()) : Result<cli::CommandRun>(parsed.error());
  if (!run) {
    done(textAnswer(
        fmt::format("Invalid arguments for tool {}: {}", request.key, run.error().message), true));
    return;
  }
  auto wanted = std::move(run).value();
  if (asksForHelp(wanted.argv)) {
    if (const auto help = helpOf(request.key); !help.empty()) {
      done(textAnswer(help, false));
      return;
    }
  }
  wanted.plugin_id = std::move(request.plugin_id);
  if (!request.caller.thread_id.empty()) {
    wanted.thread_id = std::move(request.caller.thread_id);
  }
  if (!request.caller.project_id.empty()) {
    wanted.project_id = std::move(request.caller.project_id);
  }
  commands_.run(
      std::move(wanted), std::move(request.stop),
      [done = std::make_shared<Completion<Answer>>(std::move(done))](
          Result<cli::CommandOutcome> outcome) {
        (*done)(outcome ? answerOf(outcome.value()) : textAnswer(outcome.error().message, true));
      });
}

}  // namespace svc::mcp
