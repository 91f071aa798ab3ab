#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace waybill {

/// A blank is white space, a control character or an invisible character of formatting: Unicode's categories
/// Z*, Cc and Cf, with the no-break spaces, the zero-width characters and the byte order mark. These
/// functions take valid UTF-8.

bool has_blanks(std::string_view utf8);

/// True if `utf8` is empty or has blanks alone.
bool is_blank(std::string_view utf8);

/// Removes the blanks at both ends.
std::string_view without_outer_blanks(std::string_view utf8);

/// Removes the blanks at both ends and each invisible character, and replaces each run of white space and
/// controls by one space.
std::string single_spaced(std::string_view utf8);

/// Removes all blanks.
std::string without_blanks(std::string_view utf8);

/// The texts between white space and controls, without invisible characters around them. Point into `utf8`.
std::vector<std::string_view> words_between_blanks(std::string_view utf8);

}  // namespace waybill
