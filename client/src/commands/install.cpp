#include <fstream>
#include <iterator>
#include <ostream>
#include <variant>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "commands/commands.h"
#include "commands/install_job.h"
#include "commands/source_text.h"
#include "commands/update.h"
#include "exit_code.h"
#include "plugin_block.h"
#include "progress.h"
#include "scaffold.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

constexpr std::string_view kTrustWarning =
    "A plugin is not sandboxed: its code runs with your full access to files, network and "
    "programs.\n"
    "Install only what you trust.\n";

/// What an install without jobs may take; it only ends a lost connection.
constexpr auto kInstallWait = std::chrono::minutes(15);
/// A preview asks a registry or clones a repository without its files.
constexpr auto kPreviewWait = std::chrono::minutes(2);

/// What is going to be installed, as far as it can be told before.
struct Plan {
  /// "<pkg>@<version> from <where>"
  std::string text;
  /// Plugin id and source of a directory; only one of these takes the place of another one.
  std::string id{};
  std::string source{};
  /// Route and body of the install itself.
  std::string target = "/api/v1/plugins/install";
  Json body;
  /// What somebody looked at; empty for a directory, which is used as it is.
  std::string confirmed{};
  /// Of a catalogue entry: the command that installs what it lists directly.
  std::string directly{};
};

std::string describe(const std::string& package, const std::string& version,
                     const std::string& from) {
  auto text = package.empty() ? std::string() : oneLine(package);
  if (!text.empty() && !version.empty()) {
    text += "@" + oneLine(version);
  }
  return (text.empty() ? "" : text + " ") + "from " + oneLine(from);
}

/// The manifest of a directory is read here: the server is asked only once the user has agreed.
Plan planPath(const Source& source, Json body) {
  const auto path = source.path / "package.json";
  std::error_code failure;
  std::string text;
  if (std::filesystem::is_regular_file(path, failure)) {  // a FIFO would wait for a writer
    std::ifstream file(path);
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  const auto read = Json::parse(text);
  const auto manifest = read ? read.value() : Json();
  const auto name = parseScaffoldName(manifest["name"].asString());
  return {.text = describe(manifest["name"].asString(), manifest["version"].asString(),
                           source.path.string()),
          .id = name ? name.value().id : std::string(),
          .source = source.text,
          .body = std::move(body)};
}

/// A branch or a version that is another by then is not what was agreed to.
Json installBody(const Plan& plan) {
  auto body = plan.body;
  return plan.confirmed.empty() ? body : body.set("confirmedSource", plan.confirmed);
}

Plan planFrom(const Json& preview, const Source& source, Json body) {
  Plan plan{.text = describe(preview["package"].asString(), preview["version"].asString(),
                             preview["from"].asString()),
            .body = std::move(body)};
  plan.confirmed = preview["confirmedSource"].asString();
  if (source.entry) {
    plan.target = "/api/v1/plugin-catalog/install";
    plan.body = Json::object().set("entryId", preview["entryId"]);
    if (preview["marketplace"].isString()) {
      plan.body.set("marketplace", preview["marketplace"]);
    }
    plan.directly = "svc plugin install " + oneLine(preview["confirmedSource"].asString());
    if (const auto& directory = preview["subdirectory"].asString(); !directory.empty()) {
      plan.directly += " --subdirectory " + oneLine(directory);
    }
    const auto publisher = oneLine(preview["publisher"].asString());
    plan.text += fmt::format(" (marketplace {}{})", oneLine(preview["marketplace"].asString()),
                             publisher.empty() ? "" : ", by " + publisher);
  }
  return plan;
}

/// A plugin of the same id from another directory gives way; what the one from there has stored is the new one's.
void sayWhatIsReplaced(const Console& console, Api& api, const Plan& plan) {
  if (plan.id.empty()) {
    return;
  }
  const auto reply = api.get("/plugins/" + percentEncode(plan.id));
  const auto& record = reply ? reply.value().json["plugin"] : Json();
  const auto& before = record["source"].asString();
  if (before.starts_with("path:") && before != plan.source) {
    console.err << fmt::format(
        "This replaces {} from {}; its settings, secrets and stored data stay and become those of "
        "the new one.\n",
        oneLine(plan.id), oneLine(before));
  }
}

/// True when the user agrees to full trust; prints why not otherwise.
bool confirmTrust(const Console& console) {
  console.err << kTrustWarning;
  if (!console.in_terminal) {
    console.fail(Error{codes::kRefused, "not installed: trust in the plugin was not confirmed"},
                 "run it on a terminal, or add --yes");
    return false;
  }
  if (!console.confirm("Install? [y/N]")) {
    console.fail(Error{codes::kRefused, "not installed"});
    return false;
  }
  return true;
}

}  // namespace

namespace {

/// The plugins that a repository lists, when none of them was named.
std::string entryNames(const Json& preview) {
  std::string names;
  for (const auto& entry : preview["entries"].items()) {
    names += (names.empty() ? "" : ", ") + oneLine(entry["name"].asString());
  }
  return names;
}

/// What the server would install; an exit code when it cannot.
std::variant<Plan, int> makePlan(const Context& context, Api& api, const InstallOptions& options) {
  const auto& console = context.console;
  const auto source = resolveSource(options.source, context.environment);
  auto body = installBody(options, source.text);
  if (!source.path.empty()) {
    std::error_code ignored;
    // Nobody is asked to trust what is not there. A server elsewhere has directories of its own.
    if (api.address().record && !std::filesystem::exists(source.path, ignored)) {
      console.fail(Error{errc::kNotFound,
                         fmt::format("there is no directory {}", oneLine(source.path.string()))});
      return kExitNotFound;
    }
    return planPath(source, std::move(body));
  }
  Progress progress(console);
  progress.show("looking at " + source.text);
  const auto reply =
      api.call({"POST", "/api/v1/plugins/install/preview", body.dump(), kPreviewWait});
  progress.clear();
  if (!reply) {
    return reportNoAnswer(console, reply.error());
  }
  if (!reply.value().ok()) {
    return reportFailure(console, reply.value());
  }
  const auto& preview = reply.value().json["preview"];
  if (const auto& why = preview["incompatible"].asString(); !why.empty()) {
    console.fail(Error{errc::kIncompatible, why});
    return kExitIncompatible;
  }
  if (const auto names = entryNames(preview); !names.empty()) {
    if (preview["package"].isNull()) {
      console.fail(Error{codes::kUsage, fmt::format("{} holds several plugins: {}",
                                                    oneLine(preview["source"].asString()), names)},
                   "add --plugin <name>");
      return kExitUsage;
    }
    console.err << "The repository also holds " << names << " (--plugin <name>).\n";
  }
  return planFrom(preview, source, std::move(body));
}

int showInstalled(const Console& console, const std::string& url, const Reply& reply) {
  const auto& record = reply.json["plugin"];
  if (console.json) {
    console.out << reply.text << '\n';
  } else {
    console.out << "Installed:\n" << pluginBlock(record, console) << std::flush;
    tellNextSteps(console, record, url);
  }
  return exitCodeForStatus(record);
}

int reportJobStarted(const Console& console, const Reply& reply) {
  const auto id = oneLine(reply.json["job"]["id"].asString());
  if (console.json) {
    console.out << reply.text << '\n';
  } else {
    console.out << id << '\n';
    console.err << "The install runs. `svc plugin install-jobs` shows it, `svc plugin "
                   "cancel-install " +
                       id + "` cancels it.\n";
  }
  return kExitOk;
}

/// True when the user agrees that what runs is replaced; prints why not otherwise.
bool confirmReplacement(const Console& console, Api& api, const Plan& plan, const std::string& id) {
  const auto reply = api.get("/plugins/" + percentEncode(id));
  const auto& record = reply ? reply.value().json["plugin"] : Json();
  console.err << fmt::format(
      "{} {} is installed from {}. This puts {} in its place: settings, secrets and stored data "
      "stay, "
      "and it goes back when the new version does not run.\n",
      oneLine(id), oneLine(record["version"].asString()), oneLine(record["source"].asString()),
      plan.text);
  if (!console.in_terminal) {
    console.fail(Error{codes::kRefused, "not replaced: this was not confirmed"},
                 "run it on a terminal, or add --yes");
    return false;
  }
  if (!console.confirm("Replace it? [y/N]")) {
    console.fail(Error{codes::kRefused, "nothing was replaced"});
    return false;
  }
  return true;
}

/// The plugin that a refused install would replace with another version of the same source; empty when there is none. Entries of a
/// catalogue follow their list.
std::string replacedBy(const Plan& plan, const Json& error) {
  const bool replaces =
      plan.body["source"].isString() && error["details"]["reason"].asString() == "use_update";
  return replaces ? error["details"]["pluginId"].asString() : std::string();
}

/// An entry whose source is installed already.
bool isEntryInstalled(const Plan& plan, const Json& error) {
  return !plan.directly.empty() && error["details"]["reason"].asString() == "use_update";
}

/// One that came directly stays so, and what the entry lists comes in the same way; one that came through a marketplace is updated.
int reportEntryInstalled(const Console& console, Api& api, const Plan& plan, const Json& error) {
  const auto id = error["details"]["pluginId"].asString();
  const auto reply = api.get("/plugins/" + percentEncode(id));
  const bool through = reply && reply.value().json["plugin"]["provenance"] == Json("catalog");
  const auto message =
      through ? fmt::format("plugin \"{}\" is installed from this source already", oneLine(id))
              : fmt::format(
                    "plugin \"{}\" is installed from this source already, not through a "
                    "marketplace",
                    oneLine(id));
  const auto hint =
      through ? fmt::format(
                    "`svc plugin update {}` installs a newer version when there is one, and "
                    "downloads files again that are missing or damaged",
                    oneLine(id))
              : fmt::format("`{}` puts what the marketplace lists in its place and keeps its data",
                            plan.directly);
  console.fail(Error{common::wireCode(error["code"].asString()), message, error["details"].dump()},
               hint);
  return exitCodeOf(error);
}

int replaceOrGiveUp(Context& context, Api& api, const InstallOptions& options, const Plan& plan,
                    const std::string& id) {
  const bool agreed = options.yes || confirmReplacement(context.console, api, plan, id);
  return agreed ? replaceInstalled(context, api, id, installBody(plan)) : kExitRefused;
}

/// Ends like an install that was answered at once.
int finishJob(const Console& console, Api& api, const Json& job) {
  const auto& state = job["state"].asString();
  if (state != "succeeded") {
    const auto& error = job["error"];
    const auto code = error["code"].asString();
    const auto message = state == "cancelled" ? std::string("the install was cancelled")
                                              : error["message"].asString();
    console.fail(Error{common::wireCode(code.empty() ? "conflict" : code), message});
    return exitCodeOf(error);
  }
  const auto reply = api.get("/plugins/" + percentEncode(job["pluginId"].asString()));
  if (!reply) {
    return reportNoAnswer(console, reply.error());
  }
  return reply.value().ok() ? showInstalled(console, api.address().url, reply.value())
                            : reportFailure(console, reply.value());
}

}  // namespace

int pluginInstall(Context& context, const InstallOptions& options) {
  const auto& console = context.console;
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  auto planned = makePlan(context, api.value(), options);
  if (const auto* const code = std::get_if<int>(&planned)) {
    return *code;
  }
  const auto& plan = std::get<Plan>(planned);
  console.err << "Installing " << plan.text << '\n';
  sayWhatIsReplaced(console, api.value(), plan);
  if (!options.yes && !confirmTrust(console)) {
    return kExitRefused;
  }
  const auto reply = api.value().call({.method = "POST",
                                       .target = plan.target,
                                       .body = installBody(plan).dump(),
                                       .timeout = kInstallWait,
                                       .respond_async = true});
  if (!reply) {
    return reportNoAnswer(console, reply.error());
  }
  if (!reply.value().ok()) {
    const auto& error = reply.value().json["error"];
    if (isEntryInstalled(plan, error)) {
      return reportEntryInstalled(console, api.value(), plan, error);
    }
    const auto id = replacedBy(plan, error);
    return id.empty() ? reportFailure(console, reply.value())
                      : replaceOrGiveUp(context, api.value(), options, plan, id);
  }
  if (!reply.value().json["job"].isObject()) {
    return showInstalled(console, api.value().address().url, reply.value());
  }
  if (options.no_wait) {
    return reportJobStarted(console, reply.value());
  }
  const auto job = awaitJob(context, api.value(), reply.value().json["job"]);
  if (!job) {
    return reportNoAnswer(console, job.error());
  }
  if (isEntryInstalled(plan, job.value()["error"])) {
    return reportEntryInstalled(console, api.value(), plan, job.value()["error"]);
  }
  const auto id = replacedBy(plan, job.value()["error"]);
  return id.empty() ? finishJob(console, api.value(), job.value())
                    : replaceOrGiveUp(context, api.value(), options, plan, id);
}

}  // namespace svc::client
