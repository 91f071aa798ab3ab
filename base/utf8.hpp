#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace waybill {

/// The length in bytes of the longest prefix that is valid UTF-8 (RFC 3629: no surrogates, no overlong forms,
/// at most U+10FFFF).
std::size_t valid_utf8_prefix(std::string_view text);

bool is_utf8(std::string_view text);

/// The number of code points of valid UTF-8.
std::size_t count_characters(std::string_view utf8);

/// Valid UTF-8 with each character in lower case, as the libc's locale C.UTF-8 has it; ASCII only on a system
/// without this locale.
std::string lower_utf8(std::string_view utf8);

/// Valid UTF-8 for comparisons without regard to case: as lower_utf8, with σ for ς, the small sigma at the
/// ends of words.
std::string folded_utf8(std::string_view utf8);

/// `bytes` as text that JSON and PostgreSQL can hold: each NUL and each byte outside valid UTF-8 becomes
/// U+FFFD.
std::string to_text(std::string_view bytes);

}  // namespace waybill
