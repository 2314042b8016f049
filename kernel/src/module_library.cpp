#include "module_library.h"

#include <algorithm>
#include <list>
#include <set>

#include <boost/dll/shared_library.hpp>
#include <fmt/format.h>

#include "config.h"

namespace svc::kernel {
namespace {

std::string joinPaths(const std::vector<std::filesystem::path>& paths) {
  std::string out;
  for (const auto& path : paths) {
    out += (out.empty() ? "" : ", ") + path.string();
  }
  return out;
}

Result<LoadedLibrary> open(const std::string& name, const std::filesystem::path& file) {
  namespace dll = boost::dll;
  boost::dll::fs::error_code failure;
  // Never closed: objects of a module may outlive any point at which unloading would be safe.
  static auto* const kKept = new std::list<dll::shared_library>;
  auto& library = kKept->emplace_back();
  try {
    library.load(file, dll::load_mode::rtld_now | dll::load_mode::rtld_local, failure);
  } catch (const std::exception& thrown) {
    return Error{kModuleUnloadable, fmt::format("{}: {}", file.string(), thrown.what())};
  }
  if (failure) {
    return Error{kModuleUnloadable, fmt::format("{}: {}", file.string(), failure.message())};
  }
  if (!library.has("svc_module")) {
    return Error{kModuleNoSymbol,
                 fmt::format("{} is not a module: it exports no symbol svc_module", file.string())};
  }
  const auto& descriptor = library.get<const ModuleDescriptor>("svc_module");
  if (auto status = checkDescriptor(descriptor, name, file.string()); !status) {
    return std::move(status).error();
  }
  return LoadedLibrary{file, &descriptor};
}

}  // namespace

Status checkDescriptor(const ModuleDescriptor& descriptor, const std::string& expected_name,
                       const std::string& file) {
  if (descriptor.magic != kModuleMagic) {
    return Error{kModuleMagicMismatch,
                 fmt::format("{} is not a module: magic is {:#018x}, expected {:#018x}", file,
                             descriptor.magic, kModuleMagic)};
  }
  if (descriptor.abi != kModuleAbi) {
    return Error{kModuleAbiMismatch,
                 fmt::format("{} was built for module ABI {}, this program has {}; rebuild it",
                             file, descriptor.abi, kModuleAbi)};
  }
  if (descriptor.size != sizeof(ModuleDescriptor)) {
    return Error{kModuleSizeMismatch,
                 fmt::format("{} has a descriptor of {} bytes, expected {}; rebuild it", file,
                             descriptor.size, sizeof(ModuleDescriptor))};
  }
  const std::string tag = descriptor.build_tag == nullptr ? "" : descriptor.build_tag;
  if (tag != SVC_BUILD_TAG) {
    return Error{
        kModuleBuildTagMismatch,
        fmt::format(
            R"({} has build tag "{}", expected "{}"; rebuild it with this compiler and these headers)",
            file, tag, SVC_BUILD_TAG)};
  }
  if (descriptor.name == nullptr || expected_name != descriptor.name) {
    return Error{
        kModuleNameMismatch,
        fmt::format("{} calls itself \"{}\"; the file name must be the module name plus .so", file,
                    descriptor.name == nullptr ? "" : descriptor.name)};
  }
  return {};
}

Result<LoadedLibrary> loadModuleLibrary(const std::string& name,
                                        const std::vector<std::filesystem::path>& directories) {
  for (const auto& directory : directories) {
    auto file = directory / (name + ".so");
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored)) {
      return open(name, file);
    }
  }
  const auto nearest = nearestName(name, listModuleNames(directories));
  return Error{kModuleNotFound,
               fmt::format("module \"{}\" is not in {}{}", name, joinPaths(directories),
                           nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest))};
}

std::vector<std::string> listModuleNames(const std::vector<std::filesystem::path>& directories) {
  std::set<std::string> names;
  for (const auto& directory : directories) {
    std::error_code failure;
    for (const auto& entry : std::filesystem::directory_iterator(directory, failure)) {
      if (entry.path().extension() == ".so") {
        names.insert(entry.path().stem().string());
      }
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace svc::kernel
