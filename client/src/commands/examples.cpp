#include "commands/examples.h"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "svc/common/envelope.h"

#include "bundled.h"
#include "commands/commands.h"
#include "commands/record_lookup.h"
#include "exit_code.h"
#include "sdk_pins.h"
#include "table.h"
#include "text.h"

namespace svc::client {

using common::Json;

namespace {

namespace fs = std::filesystem;

Json exampleJson(const fs::path& share, const BundledPlugin& example) {
  return Json::object()
      .set("id", example.id)
      .set("description", example.description)
      .set("path", exampleDirectory(share, example.id).string());
}

/// The name of the list that the service comes with (builtin/pack_examples.mjs).
constexpr std::string_view kExampleMarketplace = "examples";
/// The one to begin with.
constexpr std::string_view kFirstExample = "todo";

std::string exampleTable(const std::vector<BundledPlugin>& examples, std::string_view indent,
                         Table::Layout layout) {
  Table table;
  for (const auto& example : examples) {
    table.add({std::string(indent) + example.id, example.description});
  }
  return table.render(layout);
}

int listExamples(const Console& console, const fs::path& share,
                 const std::vector<BundledPlugin>& examples) {
  if (console.json) {
    auto list = Json::array();
    for (const auto& example : examples) {
      list.push(exampleJson(share, example));
    }
    console.out << common::okEnvelope(Json::object().set("examples", std::move(list))) << '\n';
    return kExitOk;
  }
  console.out << exampleTable(examples, "", layoutFor(console));
  if (console.out_terminal) {
    console.err << fmt::format(
        "\n`svc plugin install <example>@{}` installs one, `svc plugin new <name> --from "
        "<example>` "
        "makes a plugin of your own from it, `svc plugin examples <example>` shows where its "
        "source is.\n",
        kExampleMarketplace);
  }
  return kExitOk;
}

int showExample(const Console& console, const fs::path& share, const BundledPlugin& example) {
  if (console.json) {
    console.out << common::okEnvelope(Json::object().set("example", exampleJson(share, example)))
                << '\n';
    return kExitOk;
  }
  Table facts;
  facts.add({"example", example.id});
  facts.add({"about", example.description});
  facts.add({"source", exampleDirectory(share, example.id).string()});
  facts.add({"read", fmt::format("svc manual examples/{}", example.id)});
  facts.add({"install", fmt::format("svc plugin install {}@{}", example.id, kExampleMarketplace)});
  facts.add({"copy", fmt::format("svc plugin new my-{0} --from {0}", example.id)});
  console.out << facts.render(layoutFor(console));
  return kExitOk;
}

}  // namespace

bool hasOwnPlugins(const Json& plugins) {
  const auto& records = plugins.items();
  return std::any_of(records.begin(), records.end(), [](const Json& record) {
    return record["provenance"].asString() != "builtin";
  });
}

void offerBeginnings(const Context& context, const Json& plugins) {
  const auto& records = plugins.items();
  Table table;
  const auto share = shareDir(context.environment);
  for (const auto& plugin : bundledPlugins(share)) {
    const bool is_there = std::any_of(records.begin(), records.end(), [&](const Json& record) {
      return record["id"].asString() == plugin.id;
    });
    if (!is_there) {
      table.add({"  svc plugin install builtin:" + plugin.id, plugin.description});
    }
  }
  const auto examples = bundledExamples(share);
  const auto first =
      std::find_if(examples.begin(), examples.end(),
                   [](const BundledPlugin& example) { return example.id == kFirstExample; });
  if (first != examples.end()) {
    table.add({fmt::format("  svc plugin install {}@{}", first->id, kExampleMarketplace),
               first->description});
    table.add({"  svc plugin examples", fmt::format("All {} examples.", examples.size())});
  }
  if (!table.empty()) {
    context.console.err << "Comes with svc and can be installed:\n"
                        << table.render(Table::Layout::kAligned);
  }
}

int failUnknownExample(const Console& console, const fs::path& share, const std::string& name) {
  const auto examples = bundledExamples(share);
  if (examples.empty()) {
    console.fail(
        {errc::kUnavailable, fmt::format("{} is missing or damaged: install svc again",
                                         exampleDirectory(share, name).parent_path().string())});
    return kExitFailure;
  }
  std::vector<std::string> names;
  for (const auto& example : examples) {
    names.push_back(example.id);
  }
  const auto nearest = nearestName(name, names);
  console.fail({codes::kUsage, fmt::format("there is no example \"{}\"", name)},
               nearest        ? fmt::format("did you mean {}?", *nearest)
               : console.json ? "`svc plugin examples` lists them"
                              : "choose one of these");
  if (!console.json) {
    console.err << exampleTable(examples, "  ", Table::Layout::kAligned);
  }
  return kExitUsage;
}

int pluginExamples(Context& context, const std::string& name) {
  const auto share = shareDir(context.environment);
  const auto examples = bundledExamples(share);
  const auto found = std::find_if(examples.begin(), examples.end(),
                                  [&](const BundledPlugin& example) { return example.id == name; });
  if (examples.empty() || (!name.empty() && found == examples.end())) {
    return failUnknownExample(context.console, share, name);
  }
  return name.empty() ? listExamples(context.console, share, examples)
                      : showExample(context.console, share, *found);
}

}  // namespace svc::client
