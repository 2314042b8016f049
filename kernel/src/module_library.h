#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "svc/kernel/module.h"

namespace svc::kernel {

/// Distinct failures of loading, so that tests and `--check` can tell them apart.
inline constexpr Errc kModuleNotFound{"module_not_found"};
inline constexpr Errc kModuleUnloadable{"module_unloadable"};
inline constexpr Errc kModuleNoSymbol{"module_no_symbol"};
inline constexpr Errc kModuleMagicMismatch{"module_magic_mismatch"};
inline constexpr Errc kModuleAbiMismatch{"module_abi_mismatch"};
inline constexpr Errc kModuleSizeMismatch{"module_size_mismatch"};
inline constexpr Errc kModuleBuildTagMismatch{"module_build_tag_mismatch"};
inline constexpr Errc kModuleNameMismatch{"module_name_mismatch"};

/// A module library that passed every check. Libraries are never unloaded.
struct LoadedLibrary {
  std::filesystem::path file;
  const ModuleDescriptor* descriptor = nullptr;
};

/// Checks magic, ABI number, size and build tag, in that order; each message says what was found and expected.
[[nodiscard]] Status checkDescriptor(const ModuleDescriptor& descriptor,
                                     const std::string& expected_name, const std::string& file);

/// Opens `<dir>/<name>.so` from the first directory that has it.
[[nodiscard]] Result<LoadedLibrary> loadModuleLibrary(
    const std::string& name, const std::vector<std::filesystem::path>& directories);

/// Names of the libraries in the directories, without ".so", sorted.
[[nodiscard]] std::vector<std::string> listModuleNames(
    const std::vector<std::filesystem::path>& directories);

}  // namespace svc::kernel
