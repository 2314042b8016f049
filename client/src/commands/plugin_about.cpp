#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands/commands.h"
#include "commands/source_text.h"
#include "doctor/findings.h"
#include "exit_code.h"
#include "progress.h"
#include "table.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

/// The package may have to be downloaded.
constexpr auto kAboutWait = std::chrono::minutes(10);

std::string runsWhere(const Json& entries) {
  std::vector<std::string_view> places;
  for (const auto& [key, place] : {std::pair{"server", "on the server"},
                                   {"app", "in the window"},
                                   {"host", "on machines when it is called"}}) {
    if (entries[key].asBool()) {
      places.emplace_back(place);
    }
  }
  return fmt::format("{}", fmt::join(places, ", "));
}

std::string namesOf(const Json& list) {
  std::vector<std::string_view> names;
  for (const auto& name : list.items()) {
    names.emplace_back(name.asString());
  }
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

std::string needsOf(const Json& engines) {
  std::vector<std::string> needs;
  for (const auto& [key, name] : {std::pair{"svc", "svc"}, {"svcPluginSdk", "SDK"}}) {
    if (const auto& range = engines[key].asString(); !range.empty()) {
      needs.push_back(fmt::format("{} {}", name, range));
    }
  }
  return needs.empty() ? "any version of the service" : fmt::format("{}", fmt::join(needs, ", "));
}

/// The row of a thing that may be absent.
void addText(Table& table, const char* term, const Json& value) {
  if (!value.asString().empty()) {
    table.add({term, value.asString()});
  }
}

Table factsOf(const Json& about) {
  Table table;
  table.add({"package", about["package"].asString() + "@" + about["version"].asString()});
  addText(table, "author", about["author"]);
  addText(table, "license", about["license"]);
  addText(table, "home page", about["homepage"]);
  table.add({"runs", runsWhere(about["entries"])});
  for (const auto& each : about["capabilities"].items()) {
    const auto& detail = each["detail"].asString();
    table.add({each["kind"].asString(),
               each["label"].asString() + (detail.empty() ? "" : " – " + detail)});
  }
  table.add({"needs", needsOf(about["engines"])});
  table.add({"dependencies", namesOf(about["dependencies"])});
  table.add({"size", fmt::format("{} in {} files",
                                 sizeText(static_cast<std::uintmax_t>(about["bytes"].asInteger())),
                                 about["files"].asInteger())});
  for (const auto& problem : about["problems"].items()) {
    table.add({"problem", problem["message"].asString()});
  }
  return table;
}

void show(const Console& console, const Json& about, const std::string& source) {
  const auto& description = about["description"].asString();
  console.out << fmt::format("{}{}\n\n", oneLine(about["name"].asString()),
                             description.empty() ? "" : " – " + oneLine(description));
  console.out << factsOf(about).render(layoutFor(console));
  auto readme = manyLines(about["readme"].asString());
  readme.erase(readme.find_last_not_of("\n ") + 1);
  if (!readme.empty()) {
    console.out << '\n'
                << readme << '\n'
                << (about["readmeIsCut"].asBool() ? "\n(The readme goes on.)\n" : "");
  }
  console.out << std::flush;
  console.err << fmt::format("\n`svc plugin install {}` installs it.\n", oneLine(source));
}

}  // namespace

int pluginAbout(Context& context, const InstallOptions& options) {
  const auto& console = context.console;
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  const auto source = resolveSource(options.source, context.environment);
  Progress progress(console);
  progress.show("looking at " + source.text);
  const auto reply = api.value().call({"POST", "/api/v1/plugins/install/about",
                                       installBody(options, source.text).dump(), kAboutWait});
  progress.clear();
  if (!reply) {
    return reportNoAnswer(console, reply.error());
  }
  if (!reply.value().ok()) {
    return reportFailure(console, reply.value());
  }
  if (console.json) {
    console.out << reply.value().text << '\n';
  } else {
    show(console, reply.value().json["about"], options.source);
  }
  return kExitOk;
}

}  // namespace svc::client
