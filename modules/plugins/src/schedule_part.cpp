#include "schedule_part.h"

#include <string>

#include "cron.h"

namespace svc::plugins {

std::vector<script::HostFunction> scheduleFunctions(const std::weak_ptr<IGeneration>& generation,
                                                    const std::weak_ptr<Scheduler>& scheduler) {
  std::vector<script::HostFunction> out;
  out.push_back(
      {.name = "schedule.check", .sync = [](const std::string& cron) -> Result<std::string> {
         if (auto parsed = parseCron(cron); !parsed) {
           return std::move(parsed).error();
         }
         return std::string();
       }});
  out.push_back({.name = "schedule.registered",
                 .sync = [generation, scheduler](const std::string&) -> Result<std::string> {
                   if (const auto target = scheduler.lock()) {
                     target->registered(generation);
                   }
                   return std::string();
                 }});
  return out;
}

}  // namespace svc::plugins
