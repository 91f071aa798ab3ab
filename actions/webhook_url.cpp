#include "actions/webhook_url.hpp"

#include "actions/action.hpp"
#include "templates/parts.hpp"

namespace waybill::actions {
namespace {

constexpr std::size_t longest_template = 2000;
// Values are up to nine times as long once they are escaped. Usual servers accept 8 KiB in the first line.
constexpr std::size_t longest_rendered = 8000;

/// The end of scheme, host and port: the first character of path, query or fragment.
std::size_t end_of_authority(std::string_view url) {
  const auto scheme = url.find("://");
  const std::size_t host = scheme == std::string_view::npos ? 0 : scheme + 3;
  return std::min(url.find_first_of("/?#\\", host), url.size());
}

/// True for `.` and `..`, in which each dot may be percent-encoded.
bool is_dot_segment(std::string_view segment) {
  int dots = 0;
  while (!segment.empty()) {
    if (segment.front() == '.') {
      segment.remove_prefix(1);
    } else if (segment.starts_with("%2e") || segment.starts_with("%2E")) {
      segment.remove_prefix(3);
    } else {
      return false;
    }
    ++dots;
  }
  return dots == 1 || dots == 2;
}

bool has_dot_segment(std::string_view path) {
  for (;;) {
    const auto slash = path.find('/');
    if (is_dot_segment(path.substr(0, slash))) return true;
    if (slash == std::string_view::npos) return false;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace

std::string url_without_tags(std::string_view url) {
  if (!is_url_template(url)) return std::string(url);
  return std::string(url.substr(0, end_of_authority(url))) + "/";
}

std::optional<std::string> url_problem(std::string_view url, const net::DestinationPolicy& policy) {
  if (!is_url_template(url)) return net::check_url(url, policy);
  if (url.size() > longest_template) return "must not be longer than 2000 bytes";
  if (is_url_template(url.substr(0, end_of_authority(url))))
    return "must not contain {{ }} in its scheme, host or port";
  auto parsed = templates::Template::parse(url);
  if (std::holds_alternative<templates::TemplateError>(parsed)) return templates::mustache_problem(url);
  const auto& text = std::get<templates::Template>(parsed);
  if (text.has_raw()) return "must escape its values: {{{ }}}, {{& }} and {{> }} are not allowed in a URL";
  const std::string literal = text.literal_text();
  if (literal.find_first_of("#\\ ") != std::string::npos)
    return "must not contain #, a backslash or a space outside {{ }}";
  return net::check_url(url_without_tags(url), policy);
}

std::string rendered_url(std::string_view url, const json::object& context, WorkBudget& budget) {
  std::string result = templates::render(url, context, templates::Escape::url, {}, budget);
  const std::size_t authority = end_of_authority(result);
  const std::string_view path =
      std::string_view(result).substr(authority, result.find('?', authority) - authority);
  if (result.size() > longest_rendered)
    throw InvalidValue("recipient: the rendered URL has " + std::to_string(result.size()) +
                       " bytes; at most 8000 are allowed.");
  if (has_dot_segment(path)) throw InvalidValue("recipient: a segment of the path is \".\" or \"..\".");
  const auto intended = net::parse_destination(url_without_tags(url));
  const auto reached = net::parse_destination(result);
  if (!intended || !reached || reached->scheme != intended->scheme || reached->key() != intended->key())
    throw InvalidValue("recipient: the rendered URL is not valid.");
  return result;
}

}  // namespace waybill::actions
