#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/json.hpp"

namespace waybill::actions {

inline constexpr std::size_t max_recipients = 100;

/// The addresses of a list with commas, trimmed, without empty ones; commas within quotes part nothing.
std::vector<std::string> split_addresses(std::string_view list);

/// What is wrong with a mail's recipient, named from `field` on ("field[2]"); nothing when it is an address,
/// several with commas, a Mustache text, or an array of such.
FieldErrors recipient_problems(const json::value& recipient, std::string_view field);

/// Whom a mail goes to: what the texts render to, those that are addresses, each once. A text without
/// sections names one recipient for each of its own commas, so that a comma within a value cannot add one; a
/// name that would need quotes is left out then. Throws std::length_error beyond max_recipients.
std::vector<std::string> resolve_recipients(const json::value& recipient,
                                            const std::function<std::string(std::string_view)>& render);

}  // namespace waybill::actions
