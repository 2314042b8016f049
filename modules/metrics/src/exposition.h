#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::metrics {

using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

/// Writes the text format of Prometheus, version 0.0.4.
class Exposition {
 public:
  /// Begins a metric; its samples follow. `type`: "counter", "gauge", "histogram".
  void family(std::string_view name, std::string_view type, std::string_view help);
  void sample(double value, const Labels& labels = {}) { line("", value, labels); }
  /// Of a histogram: `suffix` is "_bucket", "_sum" or "_count".
  void part(std::string_view suffix, double value, const Labels& labels) {
    line(suffix, value, labels);
  }
  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  void line(std::string_view suffix, double value, const Labels& labels);

  std::string name_;
  std::string text_;
};

}  // namespace svc::metrics
