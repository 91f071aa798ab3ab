#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace waybill::domain {

inline constexpr std::size_t longest_web_address = 2'000;

/// The reason why `text` is not an http or https address that a page can link to; nullopt if it is one.
std::optional<std::string_view> web_address_problem(std::string_view text);

/// The reason why `text` is not the pattern of https addresses with `{number}` in the path, query or
/// fragment; nullopt if it is one.
std::optional<std::string_view> tracking_pattern_problem(std::string_view text);

}  // namespace waybill::domain
