#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "domain/values/limits.hpp"

// The texts of stores in the forms that we store. White space and invisible characters are those of Unicode:
// also no-break spaces, line separators, zero-width spaces and byte order marks. Limits are in characters
// (code points); without one, a text is cut at the longest that a record can have.
namespace waybill::connectors {

/// The first `limit` characters of valid UTF-8, without blanks at their end.
std::string_view cut_text(std::string_view text, std::size_t limit);

/// Valid UTF-8 without control characters except line breaks and tabs, without white space and invisible
/// characters at its ends, at most `limit` characters; nullopt if nothing is left.
std::optional<std::string> clean_text(std::string_view text, std::size_t limit = domain::longest_text);
/// The clean text of a JSON string, or a number as decimal text; nullopt for anything else.
std::optional<std::string> clean_text(const json::value* value, std::size_t limit = domain::longest_text);

/// A clean text with one blank for each run of white space.
std::optional<std::string> clean_line(std::string_view text, std::size_t limit = domain::longest_text);
std::optional<std::string> clean_line(const json::value* value, std::size_t limit = domain::longest_text);

/// A clean line without invisible characters, for texts that are compared, such as ids, numbers and SKUs.
std::optional<std::string> clean_identifier(const json::value* value,
                                            std::size_t limit = domain::longest_string);

/// A text of HTML or plain text as a clean plain text: see html_text.hpp.
std::optional<std::string> plain_text(const json::value* value, std::size_t limit = domain::longest_text);
/// The same as a clean line.
std::optional<std::string> plain_line(const json::value* value, std::size_t limit = domain::longest_text);

/// The e-mail address that a text names (domain::email_in); nullopt for one of a domain that never exists
/// (`.invalid`, RFC 6761), which stores write in place of an erased one.
std::optional<std::string> clean_email(std::string_view text);

/// The elements of a JSON array, or of an object whose keys are whole numbers: PHP writes an array with gaps
/// so. Empty for anything else. Valid as long as `list`.
std::vector<const json::value*> elements_of(const json::value* list);

/// A finite number, also as text ("2"); nullopt for anything else.
std::optional<double> number_of(const json::value* value);

}  // namespace waybill::connectors
