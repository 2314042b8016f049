#pragma once

#include "cli/definition.h"
#include "commands/thread.h"

namespace svc::client {

/// Characters of a title.
inline constexpr std::size_t kThreadTitle = 200;

CLI::Option* threadArgument(CLI::App* command, Invocation& in, std::string& thread);
/// A command whose only argument is a thread.
void threadLeaf(CLI::App& thread, Invocation& in, const char* name, const char* help,
                int (*run)(Context& context, const std::string& thread));

// Parts of the group.
void addThreadRecords(CLI::App& thread, Invocation& in);
void addThreadQueue(CLI::App& thread, Invocation& in);

}  // namespace svc::client
