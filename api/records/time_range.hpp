#pragma once

#include <optional>
#include <string_view>

#include "base/clock.hpp"

namespace waybill::api {

/// Parses a bound of a time range (Kind::date_or_timestamp). An end is exclusive: the end of the given day or
/// millisecond.
std::optional<Time> parse_bound(std::optional<std::string_view> text, bool is_end);
/// Throws Failure unless `from` is before the exclusive `end`. A missing bound always passes.
void require_ascending(std::optional<Time> from, std::optional<Time> end);

}  // namespace waybill::api
