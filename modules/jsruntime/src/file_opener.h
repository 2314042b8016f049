#pragma once

#include <v8.h>

namespace svc::jsruntime {

class DescriptorTable;

/// Adds `openFile(path, flags, mode, request)` to the binding of a thread (js/binding.d.ts): opens a file on the thread pool and tells
/// request.oncomplete. Unlike Node's own open(), whose number is lost when the thread ends meanwhile, it is entered in the table or
/// closed whatever happens. Script thread, of an environment that Node frees after its loop has run.
void addFileOpener(v8::Local<v8::Context> context, v8::Local<v8::Object> exports,
                   DescriptorTable& descriptors);

}  // namespace svc::jsruntime
