#include "domain/values/metric.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/json.hpp"

namespace waybill::domain {
namespace {

struct Unit {
  std::string_view name;
  double factor;  // of kg or cm
};
constexpr auto units = std::to_array<Unit>({{"kg", 1},
                                            {"g", 0.001},
                                            {"lb", 0.45359237},
                                            {"oz", 0.028349523125},
                                            {"cm", 1},
                                            {"in", 2.54},
                                            {"m", 100}});

double factor_of(std::string_view unit) {
  const auto* const known = std::ranges::find(units, unit, &Unit::name);
  return known == units.end() ? 1 : known->factor;
}

std::optional<std::string> rounded(double measure, int decimals) {
  const double scale = std::pow(10.0, decimals);
  const double value = std::round(measure * scale) / scale;
  return value > 0 ? decimal_text(json::value(value)) : std::nullopt;
}

}  // namespace

std::optional<std::string> metric(double measure, std::string_view unit, int decimals) {
  return rounded(measure * factor_of(unit), decimals);
}

std::optional<std::string> in_unit(double measure, std::string_view unit) {
  constexpr int decimals = 4;
  return rounded(measure / factor_of(unit), decimals);
}

}  // namespace waybill::domain
