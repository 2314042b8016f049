#pragma once

#include "builder.h"
#include "dev_loop.h"
#include "interrupts.h"

namespace svc::client {

/// The builder of this installation. A signal during a build ends the process at once, with this exit code, and the builder ends with
/// its input.
class InterruptibleBuilder final : public IDevBuilder {
 public:
  InterruptibleBuilder(const Environment& environment, const Interrupts& interrupts, int exit_code)
      : builder_(builderOptions(environment)), interrupts_(interrupts), exit_code_(exit_code) {}
  Result<common::BuildReport> build(const common::BuildRequest& request) override {
    const Interrupts::EndAtOnce end(interrupts_, exit_code_);
    return builder_.build(request);
  }

 private:
  common::BundleBuilder builder_;
  const Interrupts& interrupts_;
  const int exit_code_;
};

}  // namespace svc::client
