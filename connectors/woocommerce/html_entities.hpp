#pragma once

#include <string>
#include <string_view>

namespace waybill::connectors {

/// Character references as the characters they stand for: decimal, hexadecimal, and those with the names of
/// HTML 4 (and `&apos;`). Whatever else begins with an ampersand is left as it is. Decodes once: `&amp;lt;`
/// becomes `&lt;`.
std::string decode_entities(std::string_view text);

/// The text of a piece of HTML: without its tags, of which those that end a line are a line break, and with
/// its character references decoded.
std::string html_text(std::string_view html);

}  // namespace waybill::connectors
