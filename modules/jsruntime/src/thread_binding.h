#pragma once

#include <v8.h>

namespace svc::jsruntime {

class DescriptorTable;

/// Fills what the prelude of each thread of an environment takes from the linked binding `svc_thread`
/// (js/binding.d.ts: ThreadBinding). The table outlives the context.
void fillThreadBinding(v8::Local<v8::Context> context, v8::Local<v8::Object> exports,
                       DescriptorTable& descriptors);

}  // namespace svc::jsruntime
