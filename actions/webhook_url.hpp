#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/work_budget.hpp"
#include "net/destination/destination.hpp"

// The URL of a webhook may have Mustache in its path and query.
namespace waybill::actions {

inline bool is_url_template(std::string_view url) { return url.find("{{") != std::string_view::npos; }

/// The scheme, host and port of a URL or template, with "/" as path; a URL without Mustache is returned
/// unchanged.
std::string url_without_tags(std::string_view url);

/// The reason that a URL or template is refused, as the end of a sentence; nullopt if it may be used.
std::optional<std::string> url_problem(std::string_view url, const net::DestinationPolicy& policy);

/// Renders a template with values escaped for URLs. Throws InvalidValue if the result has more than 8 000
/// bytes, if a path segment of it is `.` or `..`, or if it is not a URL of the same scheme, host and port;
/// std::length_error as Template does.
std::string rendered_url(std::string_view url, const json::object& context, WorkBudget& budget);

}  // namespace waybill::actions
