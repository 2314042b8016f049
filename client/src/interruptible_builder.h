#pragma once

#include "dev_loop.h"
#include "interrupts.h"

namespace svc::client {

/// The builder of this installation. A signal ends the build, and what it had written: the error is `aborted`.
class InterruptibleBuilder final : public IDevBuilder {
 public:
  InterruptibleBuilder(common::BundleBuilder::Options options, const Interrupts& interrupts)
      : builder_(std::move(options)), interrupts_(interrupts) {}
  Result<common::BuildReport> build(const common::BuildRequest& request) override;

 private:
  common::BundleBuilder builder_;
  const Interrupts& interrupts_;
};

}  // namespace svc::client
