#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"

// The bounds of the users' own data of records.
namespace waybill::domain {

inline constexpr std::size_t most_tags = 50;
inline constexpr std::size_t longest_tag = 50;  // characters
inline constexpr std::size_t most_metadata_keys = 50;
inline constexpr std::size_t longest_metadata_key = 40;
inline constexpr std::size_t longest_metadata_text = 500;  // characters

/// The error of a tag; nullopt if it is valid.
std::optional<std::string> tag_problem(std::string_view tag);

/// True for a key that metadata may have: 1 to 40 characters A-Z a-z 0-9 _ . -
bool is_metadata_key(std::string_view key);

/// The error of a key of the metadata and its value; nullopt if both are valid. Null removes a key.
std::optional<std::string> metadata_problem(std::string_view key, const json::value& value);

}  // namespace waybill::domain
