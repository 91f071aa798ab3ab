#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

namespace waybill::api {

/// Numbers of succeeded runs by the bucket of their latency (see storage::latency_bucket).
class LatencyHistogram {
 public:
  /// Adds histograms as the database keeps them: a JSON list of objects from bucket to number of runs. Throws
  /// if the text is something else.
  void add(std::string_view histograms);

  /// The end in milliseconds of the first bucket up to which at least `percent` of the runs are; nullopt
  /// without runs.
  std::optional<double> percentile_ms(int percent) const;

 private:
  std::map<int, std::int64_t> runs_;
};

}  // namespace waybill::api
