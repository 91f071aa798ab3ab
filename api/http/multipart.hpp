#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace waybill::api {

/// One part of a form.
struct FormPart {
  std::string name;
  std::string_view content;  // in the body it was read from
};

/// Parses a multipart/form-data body (RFC 7578, with the delimiters of RFC 2046 section 5.1.1): at most 100
/// parts with heads of up to 8 KiB, each a form-data with a name and without a transfer encoding. Preamble
/// and epilogue are dropped. `content_type` is the header of the request. Returns the reason as a text if the
/// body is malformed.
std::variant<std::vector<FormPart>, std::string> parse_form(std::string_view content_type,
                                                            std::string_view body);

/// The value of a parameter of a header such as `form-data; name="file"`: a token or a quoted string
/// (RFC 2045 section 5.1), names without regard to case. Empty if there is none.
std::string header_parameter(std::string_view header, std::string_view name);

}  // namespace waybill::api
