#include "api/workflows/runs/latency_histogram.hpp"

#include "api/records/fields.hpp"
#include "base/number.hpp"
#include "storage/runs/run_rows.hpp"

namespace waybill::api {

void LatencyHistogram::add(std::string_view histograms) {
  for (const auto& histogram : stored_list(histograms)) {
    for (const auto& [bucket, runs] : histogram.as_object()) {
      runs_[parse_number<int>(bucket).value()] += runs.to_number<std::int64_t>();
    }
  }
}

std::optional<double> LatencyHistogram::percentile_ms(int percent) const {
  std::int64_t total = 0;
  for (const auto& [bucket, runs] : runs_) total += runs;
  std::int64_t passed = 0;
  for (const auto& [bucket, runs] : runs_) {
    passed += runs;
    if (passed * 100 >= total * percent) return storage::latency_of_bucket(bucket);
  }
  return std::nullopt;
}

}  // namespace waybill::api
