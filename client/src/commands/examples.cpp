#include "commands/examples.h"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "bundled.h"
#include "sdk_pins.h"
#include "table.h"
#include "text.h"

namespace svc::client {

using common::Json;

bool hasOwnPlugins(const Json& plugins) {
  const auto& records = plugins.items();
  return std::any_of(records.begin(), records.end(), [](const Json& record) {
    return record["provenance"].asString() != "builtin";
  });
}

void offerBeginnings(const Context& context, const Json& plugins) {
  const auto& records = plugins.items();
  Table table;
  for (const auto& plugin : bundledPlugins(shareDir(context.environment))) {
    const bool is_there = std::any_of(records.begin(), records.end(), [&](const Json& record) {
      return record["id"].asString() == plugin.id;
    });
    if (!is_there) {
      table.add({"  svc plugin install builtin:" + plugin.id, plugin.description});
    }
  }
  if (!table.empty()) {
    context.console.err << "Comes with svc and can be installed:\n"
                        << table.render(Table::Layout::kAligned);
  }
}

}  // namespace svc::client
