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

}  // namespace

std::optional<std::string> metric(double measure, std::string_view unit, int decimals) {
  const auto* const known = std::ranges::find(units, unit, &Unit::name);
  const double scale = std::pow(10.0, decimals);
  const double factor = known == units.end() ? 1 : known->factor;
  const double rounded = std::round(measure * factor * scale) / scale;
  return rounded > 0 ? decimal_text(json::value(rounded)) : std::nullopt;
}

}  // namespace waybill::domain
