#pragma once

#include <memory>
#include <vector>

#include "svc/kernel/executor.h"
#include "svc/serverlink/server_link.h"

#include "places.h"

namespace svc::hostfiles {

/// Answers the commands about files. Main thread; the work is done on bulk workers, since a disk may be slow or not answer at all.
class FileCommands {
 public:
  FileCommands(IBulkWorkers& workers, const IClock& clock, Bounds bounds)
      : workers_(workers),
        clock_(clock),
        bounds_(std::make_shared<const Bounds>(std::move(bounds))) {}

  void attach(serverlink::IServerLink& link);

 private:
  IBulkWorkers& workers_;
  const IClock& clock_;
  const std::shared_ptr<const Bounds> bounds_;
  std::vector<Handle> registrations_;
};

}  // namespace svc::hostfiles
