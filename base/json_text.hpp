#pragma once

#include <cstddef>
#include <string_view>

namespace waybill {

/// Positions in well-formed JSON. For malformed text, the results are some positions in it.

/// Returns the position after the string that begins at `at`.
std::size_t json_string_end(std::string_view text, std::size_t at);
/// Returns the position after the value that begins at `at`, and after the white space behind it.
std::size_t json_value_end(std::string_view text, std::size_t at);

}  // namespace waybill
