#pragma once

#include <map>
#include <string>
#include <vector>

#include "svc/plugins/plugin_record.h"

#include "cache.h"
#include "work.h"

namespace svc::installs {

/// Removes the files of managed plugins that were removed, once no other row uses them. Main thread.
class Sweeper {
 public:
  Sweeper(Cache& cache, Work& work) : cache_(cache), work_(work) {}
  /// Looks at the installed plugins of now.
  void look(const std::vector<plugins::PluginRecord>& records);

 private:
  Cache& cache_;
  Work& work_;
  std::map<std::string, std::string> roots_;  ///< by plugin id
};

}  // namespace svc::installs
