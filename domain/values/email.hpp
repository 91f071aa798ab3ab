#pragma once

#include <cstddef>
#include <string_view>

namespace waybill::domain {

inline constexpr std::size_t longest_email = 254;  // RFC 5321 section 4.5.3.1.3, without the angle brackets

/// True for an address of the dot-string form of RFC 5321 section 4.1.2 with a domain of two labels or more;
/// valid UTF-8 as in RFC 6531, without blanks (base/blanks.hpp) and without punctuation beyond ASCII, such as
/// typographic quotes, except marks that are part of words ("col·legi").
bool is_email(std::string_view text);

}  // namespace waybill::domain
