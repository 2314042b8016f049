#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "svc/common/source_map.h"

namespace svc::hosts {

/// The source map of a built host entry. Machines get the entry alone: what their workers say of it is named here. The map is
/// decoded with the first question, because most entries never fail. Questions are asked on the io thread.
class EntrySources {
 public:
  /// `map` is the text of a source map of the file `built`.
  EntrySources(std::string map, std::filesystem::path built)
      : text_(std::move(map)), built_(std::move(built)) {}

  /// The source of a position in the built entry; nothing where the map does not say.
  [[nodiscard]] std::optional<common::SourcePosition> find(std::uint32_t line,
                                                           std::uint32_t column);

 private:
  std::string text_;  // until it is decoded
  std::filesystem::path built_;
  std::optional<common::SourceMap> map_;
};

/// By the SHA-256 of a built entry; null when nothing is known of it.
using FindSources = std::function<std::shared_ptr<EntrySources>(std::string_view digest)>;

/// Replaces each position in a built entry, as stacks on a machine name it
/// (`file:///…/plugin-host-artifacts/<id>/<sha256>/host.mjs:1:2345`), by the one in the author's file where that is known.
[[nodiscard]] std::string nameSources(std::string text, const FindSources& find);

/// The same in the strings of a JSON text.
[[nodiscard]] std::string nameSourcesInJson(std::string json, const FindSources& find);

}  // namespace svc::hosts
