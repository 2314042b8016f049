#include "complete.h"

#include <algorithm>
#include <ostream>

#include "bundled.h"
#include "cli/command_tree.h"
#include "commands/server_program.h"
#include "component_registry.h"
#include "exit_code.h"
#include "sdk_pins.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;
/// Nobody waits longer than this for a list behind the tab key.
constexpr auto kPatience = std::chrono::milliseconds(500);

struct Candidate {
  std::string word;
  std::string help;
};

/// The line before the cursor: the command it names so far and what may follow.
class Line {
 public:
  Line(Context& context, const CommandInfo& root)
      : context_(context), root_(root), command_(&root) {}

  void complete(Words words) {
    const auto current = words.empty() ? std::string() : std::move(words.back());
    if (!words.empty()) {
      words.pop_back();
    }
    for (const auto& word : words) {
      take(word);
    }
    if (value_of_ != nullptr) {
      values(value_of_->hint);
    } else if (const auto* const option = optionWithValue(current)) {
      before_ = current.substr(0, current.find('=') + 1);
      values(option->hint);
    } else if (!plugin_command_.empty()) {
      pluginWords();
    } else if (current.starts_with("-") && !only_words_) {
      options();
    } else {
      commandsAndArguments();
    }
    print(current);
  }

 private:
  void take(const std::string& word) {
    if (!plugin_command_.empty()) {
      ++plugin_words_;
    } else if (value_of_ != nullptr) {
      chooseServer(value_of_->names.front(), word);
      value_of_ = nullptr;
    } else if (word == "--") {
      only_words_ = true;
    } else if (word.starts_with("-") && !only_words_) {
      takeOption(word);
    } else if (const auto* const next = command_->command(word); next != nullptr) {
      command_ = next;
      arguments_ = 0;
    } else if (command_ == &root_ && word == "help") {
      // `svc help plugin` reads like `svc plugin`.
    } else if (command_ == &root_) {
      plugin_command_ = word;
    } else {
      ++arguments_;
      given_.push_back(word);
    }
  }

  [[nodiscard]] const OptionInfo* find(const std::string& name) const {
    const auto* const option = command_->option(name);
    return option != nullptr ? option : root_.option(name);
  }

  /// Of `--level=in` the option that takes what is behind the sign.
  [[nodiscard]] const OptionInfo* optionWithValue(const std::string& word) const {
    const auto equals = word.find('=');
    const bool is_option = plugin_command_.empty() && !only_words_ && word.starts_with("--");
    return is_option && equals != std::string::npos ? find(word.substr(0, equals)) : nullptr;
  }

  void takeOption(const std::string& word) {
    const auto equals = word.find('=');
    const auto name = word.substr(0, equals);
    const auto* const option = find(name);
    if (option == nullptr || !option->takes_value) {
      return;
    }
    if (equals == std::string::npos) {
      value_of_ = option;
    } else {
      chooseServer(name, word.substr(equals + 1));
    }
  }

  void chooseServer(const std::string& option, const std::string& value) {
    if (option == "--server") {
      context_.choice.server = value;
    } else if (option == "--data-dir") {
      context_.choice.data_dir = value;
    }
  }

  void options() {
    const auto add = [this](const CommandInfo& command) {
      for (const auto& option : command.options) {
        if (!option.positional) {
          candidates_.push_back({option.names.front(), option.help});
        }
      }
    };
    add(*command_);
    if (command_ != &root_) {
      add(root_);
    }
    candidates_.push_back({"--help", "Show what it does and takes"});
  }

  void commandsAndArguments() {
    const auto positionals = command_->positionals();
    if (arguments_ < positionals.size()) {
      values(positionals[arguments_]->hint);
    } else if (command_->passes_words && command_->name == "run" && arguments_ == 0) {
      plugins();
    }
    for (const auto& command : command_->commands) {
      candidates_.push_back({command.name, command.help});
    }
    if (command_ == &root_) {
      candidates_.push_back({"help", "Show what a command does and takes"});
      pluginCommands();
    }
  }

  void values(const Invocation::Hint& hint) {
    switch (hint.what) {
      case Completes::kNothing:
        return;
      case Completes::kWords:
        for (const auto& word : hint.words) {
          candidates_.push_back({word, ""});
        }
        return;
      case Completes::kPlugin:
        return plugins();
      case Completes::kPackage:
        directive_ = ":directories";
        return entries();
      case Completes::kPluginSetting:
        return pluginSettings();
      case Completes::kPluginSettingValue:
        return pluginSettingValues();
      case Completes::kMethod:
        return records("/plugins/rpc?all=true&pluginId=" + percentEncode(given(0)), "methods",
                       "method", "description");
      case Completes::kTool:
        return records("/plugins/" + percentEncode(given(0)) + "/tools", "tools", "name",
                       "description");
      case Completes::kSetting:
        return serverSettings();
      case Completes::kSettingValue:
        return serverSettingValues();
      case Completes::kExample:
        for (const auto& example : bundledExamples(shareDir(context_.environment))) {
          candidates_.push_back({example.id, example.description});
        }
        return;
      case Completes::kComponent:
        if (const auto components = ComponentRegistry(shareDir(context_.environment)).list()) {
          for (const auto& component : components.value()) {
            candidates_.push_back({component.name, component.description});
          }
        }
        return;
      case Completes::kJob:
        return records("/plugins/install-jobs", "jobs", "id", "source");
      case Completes::kMarketplace:
        return records("/marketplaces", "marketplaces", "name", "source");
      case Completes::kHost:
        return records("/hosts", "hosts", "name", "state");
      case Completes::kProject:
        return records("/projects", "projects", "name", "id");
      case Completes::kEnvironment:
        return records("/environments", "environments", "id", "path");
      case Completes::kThread:
        return records("/threads?archived=false", "threads", "id", "title");
      case Completes::kProvider:
        return records("/providers", "providers", "id", "displayName");
      case Completes::kFile:
        directive_ = ":files";
        return;
      case Completes::kDirectory:
        directive_ = ":directories";
        return;
    }
  }

  void plugins() { records("/plugins", "plugins", "id", "description"); }

  /// An argument of the line before the one that is typed; empty when there is none.
  [[nodiscard]] std::string given(std::size_t number) const {
    return number < given_.size() ? given_[number] : std::string();
  }

  void yesAndNo() {
    candidates_.push_back({"true", ""});
    candidates_.push_back({"false", ""});
  }

  void entries() {
    const auto json = ask("/plugin-catalog/search?q=");
    for (const auto& entry : json["results"].items()) {
      candidates_.push_back({entry["entryId"].asString() + "@" + entry["marketplace"].asString(),
                             entry["description"].asString()});
    }
  }

  Json pluginSchema() { return ask("/plugins/" + percentEncode(given(0)) + "/settings")["schema"]; }

  void pluginSettings() {
    const auto schema = pluginSchema();
    for (const auto& [key, descriptor] : schema.members()) {
      candidates_.push_back({key, descriptor["label"].asString()});
    }
  }

  void pluginSettingValues() {
    const auto schema = pluginSchema();
    const auto& descriptor = schema[given(1)];
    if (descriptor["type"].asString() == "boolean") {
      yesAndNo();
    }
    for (const auto& option : descriptor["options"].items()) {
      candidates_.push_back({option.asString(), ""});
    }
  }

  /// As the svcd beside this program knows them, with or without a server.
  [[nodiscard]] Json serverConfiguration() const {
    const auto outcome = askServerProgram(context_, {"--print-config"});
    auto json = outcome ? Json::parse(outcome.value().out) : Result<Json>(outcome.error());
    return json ? std::move(json).value() : Json();
  }

  void serverSettings() {
    const auto configuration = serverConfiguration();
    for (const auto& setting : configuration["settings"].items()) {
      candidates_.push_back({setting["key"].asString(), setting["help"].asString()});
    }
  }

  void serverSettingValues() {
    const auto configuration = serverConfiguration();
    for (const auto& setting : configuration["settings"].items()) {
      if (setting["key"].asString() == given(0) && setting["type"].asString() == "boolean") {
        yesAndNo();
      }
    }
  }

  void pluginCommands() {
    const auto json = ask("/plugins/contributions");
    for (const auto& command : json["cliCommands"].items()) {
      if (root_.command(command["name"].asString()) == nullptr) {
        candidates_.push_back({command["name"].asString(), command["summary"].asString()});
      }
    }
  }

  /// The words of the plugin's own commands, as far as it declared them.
  void pluginWords() {
    if (plugin_words_ > 0) {
      return;
    }
    const auto json = ask("/plugins/contributions");
    for (const auto& registration : json["cliCommands"].items()) {
      if (registration["name"].asString() == plugin_command_) {
        for (const auto& command : registration["commands"].items()) {
          const auto& name = command["name"].asString();
          candidates_.push_back({name.substr(0, name.find(' ')), command["summary"].asString()});
        }
      }
    }
  }

  void records(const std::string& path, std::string_view list, std::string_view name,
               std::string_view help) {
    const auto json = ask(path);
    for (const auto& record : json[list].items()) {
      candidates_.push_back({record[name].asString(), record[help].asString()});
    }
  }

  /// The envelope, or null: a completion has nowhere to put a message.
  Json ask(const std::string& path) {
    auto api = Api::open(context_.choice, context_.environment, context_.connector);
    if (!api) {
      return {};
    }
    auto reply = api.value().call({"GET", "/api/v1" + path, "", kPatience});
    return reply ? std::move(reply).value().json : Json();
  }

  void print(const std::string& current) {
    auto& out = context_.console.out;
    if (!directive_.empty()) {
      out << directive_ << '\n';
    }
    std::string last;
    for (const auto& candidate : candidates_) {
      const auto word = before_ + oneLine(candidate.word);
      if (word.starts_with(current) && word != before_ && word != last) {
        out << word << '\t' << oneLine(candidate.help) << '\n';
        last = word;
      }
    }
  }

  Context& context_;
  const CommandInfo& root_;
  const CommandInfo* command_;
  const OptionInfo* value_of_ = nullptr;
  bool only_words_ = false;
  /// Arguments since the last word that names a command, and all of the line.
  std::size_t arguments_ = 0;
  Words given_;
  /// What a candidate stands behind in the same word: `--level=`.
  std::string before_;
  std::string plugin_command_;
  std::size_t plugin_words_ = 0;
  std::string directive_;
  std::vector<Candidate> candidates_;
};

}  // namespace

int printCandidates(Context& context, const CLI::App& app, const Invocation& in,
                    const Words& words) {
  const auto root = readCommands(app, in);
  Line(context, root).complete(words);
  return kExitOk;
}

}  // namespace svc::client
