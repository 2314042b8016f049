#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "svc/common/envelope.h"

#include "commands/commands.h"
#include "commands/record_lookup.h"
#include "component_registry.h"
#include "exit_code.h"
#include "sdk_pins.h"
#include "table.h"
#include "text.h"
#include "tree_copy.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;
using common::Json;
using Words = std::vector<std::string>;

constexpr std::string_view kDocs = "svc manual components";

std::string entryTable(const std::vector<RegistryEntry>& entries, std::string_view indent,
                       Table::Layout layout) {
  Table table;
  for (const auto& entry : entries) {
    table.add({std::string(indent) + entry.name, entry.description});
  }
  return table.render(layout);
}

int listComponents(const Console& console, const std::vector<RegistryEntry>& entries) {
  if (console.json) {
    auto list = Json::array();
    for (const auto& entry : entries) {
      list.push(Json::object().set("name", entry.name).set("description", entry.description));
    }
    console.out << common::okEnvelope(Json::object().set("components", std::move(list))) << '\n';
    return kExitOk;
  }
  console.out << entryTable(entries, "", layoutFor(console));
  if (console.out_terminal) {
    console.err << fmt::format(
        "\n`svc plugin add <component>…` copies them into the plugin of this directory, `{}` shows "
        "how to use them.\n",
        kDocs);
  }
  return kExitOk;
}

int failUnknown(const Console& console, const std::vector<RegistryEntry>& entries,
                const std::string& name) {
  Words names;
  for (const auto& entry : entries) {
    names.push_back(entry.name);
  }
  const auto nearest = nearestName(name, names);
  console.fail({codes::kUsage, fmt::format("there is no component \"{}\"", oneLine(name))},
               nearest        ? fmt::format("did you mean {}?", *nearest)
               : console.json ? "`svc plugin add` lists them"
                              : "choose from these");
  if (!console.json) {
    console.err << entryTable(entries, "  ", Table::Layout::kAligned);
  }
  return kExitUsage;
}

std::optional<std::string> textOf(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  return in ? std::optional(std::move(text)) : std::nullopt;
}

/// What adding does to the files of a plugin.
struct AddPlan {
  std::vector<RegistryItem::File> write;
  Words kept;  ///< are there already: as they would be, or needed by another component and changed
  Words replaced;  ///< were asked for and are another text
};

AddPlan planFor(const fs::path& root, const std::vector<RegistryItem>& items, const Words& asked) {
  AddPlan plan;
  for (const auto& item : items) {
    const bool is_asked = std::find(asked.begin(), asked.end(), item.name) != asked.end();
    for (const auto& file : item.files) {
      std::error_code ignored;
      const bool is_there = fs::exists(fs::symlink_status(root / file.path, ignored));
      const bool is_same = is_there && textOf(root / file.path) == file.content;
      if (is_same || (is_there && !is_asked)) {
        plan.kept.push_back(file.path.string());
        continue;
      }
      if (is_there) {
        plan.replaced.push_back(file.path.string());
      }
      plan.write.push_back(file);
    }
  }
  return plan;
}

/// What the author has written is lost only when the author says so.
bool mayReplace(const Console& console, const Words& replaced, bool force) {
  if (replaced.empty() || force) {
    return true;
  }
  const auto files = fmt::format("{}", fmt::join(replaced, ", "));
  if (!console.in_terminal) {
    console.fail(
        Error{codes::kRefused, fmt::format("nothing was added: {} would be overwritten", files)},
        "move it away, or add --force");
    return false;
  }
  console.err << "These files are there and differ: " << files << '\n';
  if (!console.confirm("Overwrite them? [y/N]")) {
    console.fail(Error{codes::kRefused, "nothing was added"});
    return false;
  }
  return true;
}

Status writeFiles(const fs::path& root, const std::vector<RegistryItem::File>& files) {
  for (const auto& file : files) {
    const auto target = root / file.path;
    std::error_code failure;
    fs::create_directories(target.parent_path(), failure);
    if (failure) {
      return cannotWrite(target.parent_path(), failure.value());
    }
    if (auto written = writeText(target, file.content); !written) {
      return written;
    }
  }
  return {};
}

/// Declares what is missing; the packages that were.
Words declarePackages(Json& manifest, const std::vector<RegistryItem>& items) {
  Words added;
  const auto declare = [&](const char* block, const RegistryItem::Package& package) {
    if (declareMissing(manifest, block, package.name, package.range)) {
      added.push_back(package.name);
    }
  };
  for (const auto& item : items) {
    for (const auto& package : item.dependencies) {
      declare(kDependencies, package);
    }
    for (const auto& package : item.dev_dependencies) {
      declare(kDevDependencies, package);
    }
  }
  return added;
}

Json wordsJson(const Words& words) {
  auto list = Json::array();
  for (const auto& word : words) {
    list.push(word);
  }
  return list;
}

/// The components find each other by `@/…` and are JSX, of which a plugin that did not begin with a template may not know.
void tellAboutCompiler(const Console& console, const fs::path& root) {
  const auto config = textOf(root / "tsconfig.json").value_or("");
  if (config.find("\"@/*\"") == std::string::npos) {
    console.complain(
        "warning: tsconfig.json does not say what \"@/\" is, by which components are imported",
        R"(add to its compilerOptions: "paths": { "@/*": ["./*"] })");
  }
  if (config.find("\"jsx\"") == std::string::npos) {
    console.complain("warning: tsconfig.json does not say what becomes of JSX in components",
                     R"(add to its compilerOptions: "jsx": "react-jsx")");
  }
}

void tell(const Console& console, const AddPlan& plan, const Words& packages) {
  Words written;
  for (const auto& file : plan.write) {
    written.push_back(file.path.string());
  }
  if (console.json) {
    console.out << common::okEnvelope(Json::object()
                                          .set("written", wordsJson(written))
                                          .set("kept", wordsJson(plan.kept))
                                          .set("packages", wordsJson(packages)))
                << '\n';
    return;
  }
  for (const auto& file : written) {
    console.out << "wrote " << file << '\n';
  }
  for (const auto& file : plan.kept) {
    console.out << "kept  " << file << '\n';
  }
  if (!packages.empty()) {
    console.out << fmt::format("added to package.json: {}\n", fmt::join(packages, ", "))
                << "npm install --include=dev\n";
  }
}

Status isPlugin(const Json& manifest) {
  if (!manifest["svc"].isObject()) {
    return Error{errc::kInvalidArgument, "package.json has no \"svc\": it is no plugin"};
  }
  return {};
}

int addTo(const Console& console, const fs::path& root, const std::vector<RegistryItem>& items,
          const AddComponents& wanted) {
  auto manifest = readPackageFile(root);
  auto usable = manifest ? isPlugin(manifest.value().json) : Status(manifest.error());
  if (!usable) {
    console.fail(usable.error(), "go to the directory of a plugin, or name it with --path");
    return exitCodeFor(usable.error().code.name());
  }
  const auto plan = planFor(root, items, wanted.names);
  if (!mayReplace(console, plan.replaced, wanted.force)) {
    return kExitRefused;
  }
  const auto packages = declarePackages(manifest.value().json, items);
  auto done = writeFiles(root, plan.write);
  if (done && !packages.empty()) {
    done = writePackageFile(manifest.value());
  }
  if (!done) {
    console.fail(done.error());
    return kExitFailure;
  }
  tell(console, plan, packages);
  tellAboutCompiler(console, root);
  return kExitOk;
}

}  // namespace

int pluginAdd(Context& context, const AddComponents& wanted) {
  const auto& console = context.console;
  const ComponentRegistry registry(shareDir(context.environment));
  const auto entries = registry.list();
  if (!entries) {
    console.fail(entries.error());
    return kExitFailure;
  }
  if (wanted.names.empty()) {
    return listComponents(console, entries.value());
  }
  for (const auto& name : wanted.names) {
    const auto& known = entries.value();
    if (std::none_of(known.begin(), known.end(),
                     [&](const auto& entry) { return entry.name == name; })) {
      return failUnknown(console, known, name);
    }
  }
  const auto items = registry.resolve(wanted.names);
  if (!items) {
    console.fail(items.error());
    return kExitFailure;
  }
  return addTo(console, (context.environment.working_dir / wanted.path).lexically_normal(),
               items.value(), wanted);
}

}  // namespace svc::client
