#pragma once

#include <string>
#include <string_view>

namespace waybill::connectors {

/// Replaces character references by their characters: decimal, hexadecimal, and the names of HTML 4 (and
/// `&apos;`). Other text with an ampersand stays as it is. Decodes once: `&amp;lt;` becomes `&lt;`.
std::string decode_entities(std::string_view text);

/// The plain text of HTML. Removes comments and the tags of HTML and SVG elements, drops what script and
/// style contain, puts a line break for tags that end a line, and decodes character references once. Any
/// other `<` is text ("<3", "a < b", "<ann@example.com>").
std::string html_text(std::string_view html);

}  // namespace waybill::connectors
