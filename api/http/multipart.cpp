#include "api/http/multipart.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/ascii.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t most_parts = 100;
constexpr std::size_t longest_head = 8'192;
constexpr std::size_t longest_boundary = 70;  // RFC 2046 section 5.1.1
constexpr std::string_view crlf = "\r\n";

/// Removes the text up to `separator`, and the separator, from `text`, and returns it.
std::string_view take_until(std::string_view& text, std::string_view separator) {
  const auto end = text.find(separator);
  const auto part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + separator.size());
  return part;
}

/// Removes the value of a parameter from `text` and returns it.
std::string take_value(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  if (!text.starts_with('"')) {
    const auto end = std::min(text.find(';'), text.size());
    const auto value = trimmed(text.substr(0, end), " \t");
    text.remove_prefix(end);
    return std::string(value);
  }
  std::string value;
  std::size_t at = 1;
  for (; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
    value += text[at];
  }
  text.remove_prefix(std::min(at + 1, text.size()));
  return value;
}

/// The position of a boundary line.
struct Delimiter {
  std::size_t begin = 0;  // start of the line end before it, which is part of it
  std::size_t end = 0;
  bool closes = false;  // the last one
};

class DelimiterFinder {
 public:
  DelimiterFinder(std::string_view body, std::string_view boundary)
      : body_(body), delimiter_("\r\n--" + std::string(boundary)) {}

  std::optional<Delimiter> first() const {
    const auto line = std::string_view(delimiter_).substr(crlf.size());
    if (body_.starts_with(line)) {
      if (auto found = read_rest(0, line.size())) return found;
    }
    return next(0);
  }

  std::optional<Delimiter> next(std::size_t from) const {
    for (auto at = body_.find(delimiter_, from); at != std::string_view::npos;
         at = body_.find(delimiter_, at + crlf.size())) {
      if (auto found = read_rest(at, at + delimiter_.size())) return found;
    }
    return std::nullopt;
  }

 private:
  /// nullopt unless the boundary is followed by blanks only, or by the two hyphens of the last one.
  std::optional<Delimiter> read_rest(std::size_t begin, std::size_t end) const {
    if (body_.substr(end).starts_with("--")) return Delimiter{begin, end + 2, true};
    end = std::min(body_.find_first_not_of(" \t", end), body_.size());
    if (!body_.substr(end).starts_with(crlf)) return std::nullopt;
    return Delimiter{begin, end + crlf.size(), false};
  }

  std::string_view body_;
  std::string delimiter_;
};

/// Reads the name of a part from its head. Returns the error; empty if there is none.
std::string_view read_head(std::string_view head, std::string& name) {
  while (!head.empty()) {
    auto line = take_until(head, crlf);
    const auto field = trimmed(take_until(line, ":"), " \t");
    if (equal_ignoring_case(field, "Content-Disposition")) {
      auto kind = line;
      if (!equal_ignoring_case(trimmed(take_until(kind, ";"), " \t"), "form-data")) {
        return "has a part that is not form-data";
      }
      name = header_parameter(line, "name");
    } else if (equal_ignoring_case(field, "Content-Transfer-Encoding")) {
      const auto encoding = trimmed(line, " \t");
      const bool is_plain = equal_ignoring_case(encoding, "binary") ||
                            equal_ignoring_case(encoding, "8bit") || equal_ignoring_case(encoding, "7bit");
      if (!is_plain) return "has a part with a Content-Transfer-Encoding (RFC 7578 section 4.7)";
    }
  }
  return name.empty() ? "has a part without a name" : "";
}

}  // namespace

std::string header_parameter(std::string_view header, std::string_view name) {
  take_until(header, ";");
  while (!header.empty()) {
    const auto end = std::min(header.find_first_of("=;"), header.size());
    const auto key = trimmed(header.substr(0, end), " \t");
    header.remove_prefix(end);
    std::string value;
    if (header.starts_with('=')) {
      header.remove_prefix(1);
      value = take_value(header);
    }
    if (equal_ignoring_case(key, name)) return value;
    take_until(header, ";");
  }
  return {};
}

std::variant<std::vector<FormPart>, std::string> parse_form(std::string_view content_type,
                                                            std::string_view body) {
  const auto boundary = header_parameter(content_type, "boundary");
  if (boundary.empty() || boundary.size() > longest_boundary) return "has no boundary of 1 to 70 characters";
  const DelimiterFinder finder(body, boundary);
  std::vector<FormPart> parts;
  auto delimiter = finder.first();
  while (delimiter && !delimiter->closes) {
    if (parts.size() == most_parts) return "has more than 100 parts";
    // An empty head has no line of its own before the empty line.
    const auto rest = body.substr(delimiter->end);
    const auto head_end = rest.starts_with(crlf) ? 0 : rest.substr(0, longest_head).find("\r\n\r\n");
    if (head_end == std::string_view::npos) return "has a part with an incomplete head";
    FormPart part;
    const auto problem = read_head(rest.substr(0, head_end), part.name);
    if (!problem.empty()) return std::string(problem);
    const auto begin = delimiter->end + head_end + 2 * crlf.size();
    // The end of the empty line can be part of the delimiter, if the part has no content.
    delimiter = finder.next(begin - crlf.size());
    if (!delimiter) break;
    part.content = body.substr(begin, std::max(begin, delimiter->begin) - begin);
    parts.push_back(std::move(part));
  }
  if (!delimiter) return "is not a multipart/form-data body that ends with its boundary";
  return parts;
}

}  // namespace waybill::api
