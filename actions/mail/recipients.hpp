#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/json.hpp"

namespace waybill::actions {

inline constexpr std::size_t max_recipients = 100;

/// Splits a list at its commas and semicolons, except those within quotes. Trims the addresses and omits
/// empty ones.
std::vector<std::string> split_addresses(std::string_view list);

/// The problems of a mail's recipient, with field names that begin with `field` ("field[2]"). Empty if it is
/// an address, several with commas, a Mustache text, or an array of these.
FieldErrors recipient_problems(const json::value& recipient, std::string_view field);

/// Adds the addresses that a recipient without problems names without Mustache, in lower case.
void collect_addresses(const json::value& recipient, std::set<std::string>& addresses);

/// Renders the texts of a recipient and returns the valid addresses, each once. A text without sections is
/// split at its own commas before it is rendered, so that a comma within a value cannot add a recipient; a
/// name that would need quotes is then left out. Throws std::length_error beyond max_recipients.
std::vector<std::string> resolve_recipients(const json::value& recipient,
                                            const std::function<std::string(std::string_view)>& render);

}  // namespace waybill::actions
