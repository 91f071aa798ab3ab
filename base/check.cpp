#include "base/check.hpp"

#include <string>

#include "base/observe.hpp"

namespace waybill {
namespace {

std::string name_of(const std::source_location& place) {
  return std::string(place.file_name()) + ':' + std::to_string(place.line());
}

}  // namespace

void report_broken(const char* rule, const std::source_location& place) {
  observe(Observable::rule_broken,
          {{"rule", rule}, {"place", name_of(place)}, {"function", place.function_name()}});
}

void throw_broken(const char* rule, const std::source_location& place) {
  report_broken(rule, place);
  throw BrokenRule("broken rule at " + name_of(place) + ": " + rule);
}

}  // namespace waybill
