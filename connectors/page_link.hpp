#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/json.hpp"

namespace waybill::connectors {

/// The address of a page or a file in a gateway's answer, cleaned as an identifier. nullopt for anything
/// else, and for one of more than `limit` bytes: a part of an address leads nowhere. Pure.
std::optional<std::string> page_link(const json::value* value, std::size_t limit = 2000);

}  // namespace waybill::connectors
