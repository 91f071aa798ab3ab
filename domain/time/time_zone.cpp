#include "domain/time/time_zone.hpp"

#include <algorithm>
#include <array>

namespace waybill::domain {
namespace {

// The zones and links of the IANA time zone database, sorted; made by cmake/embed_time_zones.cmake.
constexpr auto names = std::to_array<std::string_view>({
#include "domain/time/time_zone_names.inc"
});
static_assert(std::ranges::is_sorted(names));

}  // namespace

bool is_time_zone(std::string_view name) { return std::ranges::binary_search(names, name); }

}  // namespace waybill::domain
