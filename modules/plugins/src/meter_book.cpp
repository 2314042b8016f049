#include "meter_book.h"

#include <algorithm>

#include "svc/common/json.h"
#include "svc/kernel/async.h"

namespace svc::plugins {
namespace {

using common::Json;

std::string textOf(const Meters::Kept& kept) {
  auto out = Json::object()
                 .set("count", kept.handlers.count)
                 .set("totalMs", kept.handlers.total_ms)
                 .set("maxMs", kept.handlers.max_ms)
                 .set("errorCount", kept.handlers.error_count)
                 .set("outOfBandErrors", kept.counters.out_of_band_errors)
                 .set("watchdogStalls", kept.counters.watchdog_stalls)
                 .set("terminations", kept.counters.terminations)
                 .set("heldCalls", kept.counters.held_calls);
  if (kept.last_error) {
    out.set("lastError", Json::object()
                             .set("at", kept.last_error->at)
                             .set("message", kept.last_error->message)
                             .set("stack", kept.last_error->stack)
                             .set("source", kept.last_error->source));
  }
  return out.dump();
}

/// What another version has written is read as far as it is known.
Meters::Kept keptIn(const std::string& text) {
  Meters::Kept kept;
  const auto read = Json::parse(text);
  if (!read) {
    return kept;
  }
  const auto& value = read.value();
  const auto number = [&value](std::string_view name) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(value[name].asInteger(), 0));
  };
  kept.handlers = {number("count"), value["totalMs"].asNumber(), value["maxMs"].asNumber(),
                   number("errorCount")};
  kept.counters = {number("outOfBandErrors"), number("watchdogStalls"), number("terminations"),
                   number("heldCalls")};
  if (const auto& error = value["lastError"]; error.isObject()) {
    kept.last_error = PluginError{error["at"].asInteger(), error["message"].asString(),
                                  error["stack"].asString(), error["source"].asString()};
  }
  return kept;
}

}  // namespace

Status MeterBook::open() {
  main_thread_.check();
  auto texts = with_.store.meters();
  if (!texts) {
    return std::move(texts).error();
  }
  for (const auto& [id, status, meters] : with_.loaded->meters()) {
    if (const auto found = texts.value().find(id); found != texts.value().end()) {
      meters->restore(keptIn(found->second));
      written_[id] = textOf(meters->kept());
    }
  }
  arm();
  return {};
}

void MeterBook::close() {
  closed_ = true;
  timer_.reset();
  if (const auto texts = changes(); !texts.empty()) {
    written(texts, with_.store.putMeters(texts));
  }
}

MeterBook::Texts MeterBook::changes() {
  static const auto kNothing = textOf({});
  Texts out;
  Texts known;
  for (const auto& [id, status, meters] : with_.loaded->meters()) {
    const auto before = written_.find(id);
    if (before != written_.end()) {
      known.insert(*before);
    }
    auto text = textOf(meters->kept());
    if (text != (before == written_.end() ? kNothing : before->second)) {
      out.emplace(id, std::move(text));
    }
  }
  written_ = std::move(known);
  return out;
}

void MeterBook::arm() {
  timer_ = with_.main.after(kInterval, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->write();
    }
  });
}

void MeterBook::write() {
  main_thread_.check();
  auto texts = changes();
  if (texts.empty()) {
    arm();
    return;
  }
  runOnWorker<void>(
      with_.workers, with_.main,
      [&store = with_.store, texts]() -> Status { return store.putMeters(texts); },
      [weak = weak_from_this(), texts](const Status& status) {
        if (const auto self = weak.lock(); self && !self->closed_) {
          self->written(texts, status);
          self->arm();
        }
      });
}

void MeterBook::written(const Texts& texts, const Status& status) {
  if (status) {
    for (const auto& [id, text] : texts) {
      written_.insert_or_assign(id, text);
    }
  } else if (!failing_) {
    with_.log->warn("the statistics of plugins cannot be stored, it is tried again: {}",
                    status.error().message);
  }
  failing_ = !status;
}

}  // namespace svc::plugins
