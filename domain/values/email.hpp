#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace waybill::domain {

inline constexpr std::size_t longest_email_text = 4'096;  // bytes of a text in which an address is looked for
inline constexpr std::size_t longest_email = 254;  // RFC 5321 section 4.5.3.1.3, without the angle brackets

/// True for an address of the dot-string form of RFC 5321 section 4.1.2 with a domain of two labels or more;
/// valid UTF-8 as in RFC 6531, without blanks (base/blanks.hpp), without other characters that are not shown,
/// such as fillers of Hangul and variation selectors, and without punctuation beyond ASCII, such as
/// typographic quotes, except marks that are part of words ("col·legi"). Characters that stand for others,
/// such as full-width letters, are not part of an address.
bool is_email(std::string_view text);

/// The address that a text of people or programs names: without what is pasted with it ("Ann
/// <ann@example.com>", "mailto:", quotes, a stop), without blanks around it and invisible characters in it,
/// with plain letters for full-width ones; of several the first. nullopt if there is none, if it is not
/// clear where it begins or ends ("ann lee@example.com"), or for a text above `longest_email_text`. Takes
/// valid UTF-8. Pure.
std::optional<std::string> email_in(std::string_view text);

/// True for a text with an address and at least one more, of at most `longest_email_text`. Takes valid UTF-8.
bool has_several_emails(std::string_view text);

/// The problem of a text that must be an address and nothing else; nullopt for an address.
std::optional<std::string_view> email_problem(std::string_view text);

}  // namespace waybill::domain
