#include "process_usage.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

namespace svc::metrics {
namespace {

/// The fields of /proc/self/stat behind the program's name, which may contain anything: field 3 is at index 0.
std::vector<std::uint64_t> statFields() {
  std::ifstream file("/proc/self/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto end_of_name = text.rfind(')');
  std::vector<std::uint64_t> fields;
  if (end_of_name == std::string::npos) {
    return fields;
  }
  std::istringstream rest(text.substr(end_of_name + 1));
  std::string state;
  rest >> state;
  fields.push_back(0);
  for (std::string field; rest >> field;) {
    // Some of the fields that are not used here are negative.
    fields.push_back(field.front() == '-' ? 0 : std::stoull(field));
  }
  return fields;
}

double bootTime() {
  std::ifstream file("/proc/stat");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    double value = 0;
    if (words >> key >> value && key == "btime") {
      return value;
    }
  }
  return 0;
}

std::uint64_t openDescriptors() {
  std::error_code failure;
  const std::filesystem::directory_iterator all("/proc/self/fd", failure);
  // The iterator has one of its own.
  return failure ? 0 : static_cast<std::uint64_t>(std::distance(begin(all), end(all))) - 1;
}

}  // namespace

std::optional<ProcessUsage> readProcessUsage() {
  // Numbers of proc(5), less the three before the first field here.
  constexpr std::size_t kUserTime = 14 - 3;
  constexpr std::size_t kSystemTime = 15 - 3;
  constexpr std::size_t kThreads = 20 - 3;
  constexpr std::size_t kStartTime = 22 - 3;
  constexpr std::size_t kVirtual = 23 - 3;
  constexpr std::size_t kResident = 24 - 3;
  const auto fields = statFields();
  if (fields.size() <= kResident) {
    return std::nullopt;
  }
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  ProcessUsage usage;
  usage.cpu_seconds = static_cast<double>(fields[kUserTime] + fields[kSystemTime]) / ticks;
  usage.started_at = bootTime() + static_cast<double>(fields[kStartTime]) / ticks;
  usage.threads = fields[kThreads];
  usage.virtual_bytes = fields[kVirtual];
  usage.resident_bytes = fields[kResident] * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  usage.open_descriptors = openDescriptors();
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    usage.max_descriptors = limit.rlim_cur;
  }
  return usage;
}

}  // namespace svc::metrics
