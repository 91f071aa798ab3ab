#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "tests/harness/http.hpp"
#include "tests/harness/server.hpp"

namespace waybill::tests {

/// The metrics of an API process about its reads on standbys. The process has `--metrics-listen`.
class StandbyMetrics {
 public:
  explicit StandbyMetrics(Waybill& waybill) : http_(listener(waybill)) {}

  /// The reads that the "standby" or the "primary" has served.
  double reads(std::string_view server) {
    return value("waybill_standby_reads_total{server=\"" + std::string(server) + "\"}");
  }
  double passes(std::string_view reason) {
    return value("waybill_standby_pass_overs_total{reason=\"" + std::string(reason) + "\"}");
  }

 private:
  static Http listener(Waybill& waybill) {
    constexpr std::string_view host = "metrics=http://127.0.0.1:";
    const auto line = waybill.process().wait_for_line(host);
    if (!line) throw std::runtime_error("no metrics listener");
    return {"127.0.0.1", std::stoi(line->substr(line->find(host) + host.size()))};
  }
  double value(const std::string& series) {
    const std::string text = "\n" + http_.get("/metrics").text;
    const auto at = text.find("\n" + series + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + series.size() + 2));
  }

  Http http_;
};

}  // namespace waybill::tests
