#pragma once

#include <filesystem>

#include "svc/kernel/completion.h"
#include "svc/kernel/service_id.h"

namespace svc::installs {

/// Builds the bundles that a plugin declares (app, host), with their metadata, into its dist directory. Any thread may
/// call; fires on the main thread. The message of an error says what could not be built and why.
class IBundleBuilder {
 public:
  static constexpr ServiceId kId{"svc.installs.BundleBuilder", 1};
  virtual ~IBundleBuilder() = default;
  virtual void build(std::filesystem::path root, Completion<void> done) = 0;
};

}  // namespace svc::installs
