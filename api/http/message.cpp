#include "api/http/message.hpp"

#include <array>
#include <charconv>
#include <ctime>

#include "base/ascii.hpp"

namespace waybill::api {
namespace {

std::string_view status_line(int status) {
  switch (status) {
    case 200:
      return "HTTP/1.1 200 OK\r\n";
    case 201:
      return "HTTP/1.1 201 Created\r\n";
    case 202:
      return "HTTP/1.1 202 Accepted\r\n";
    case 204:
      return "HTTP/1.1 204 No Content\r\n";
    case 304:
      return "HTTP/1.1 304 Not Modified\r\n";
    case 400:
      return "HTTP/1.1 400 Bad Request\r\n";
    case 401:
      return "HTTP/1.1 401 Unauthorized\r\n";
    case 403:
      return "HTTP/1.1 403 Forbidden\r\n";
    case 404:
      return "HTTP/1.1 404 Not Found\r\n";
    case 405:
      return "HTTP/1.1 405 Method Not Allowed\r\n";
    case 409:
      return "HTTP/1.1 409 Conflict\r\n";
    case 413:
      return "HTTP/1.1 413 Content Too Large\r\n";
    case 415:
      return "HTTP/1.1 415 Unsupported Media Type\r\n";
    case 429:
      return "HTTP/1.1 429 Too Many Requests\r\n";
    case 503:
      return "HTTP/1.1 503 Service Unavailable\r\n";
    default:
      return "HTTP/1.1 500 Internal Server Error\r\n";
  }
}

void append_number(std::string& out, std::int64_t number) {
  std::array<char, 24> digits{};
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

}  // namespace

std::optional<std::string_view> find_field(std::string_view head, std::string_view lower_case_name) {
  constexpr std::string_view line_end = "\r\n";
  for (auto end = head.find(line_end); end != std::string_view::npos; end = head.find(line_end)) {
    head.remove_prefix(end + line_end.size());
    const auto line = head.substr(0, head.find(line_end));
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || !equal_ignoring_case(line.substr(0, colon), lower_case_name))
      continue;
    return trimmed(line.substr(colon + 1), " \t");
  }
  return std::nullopt;
}

void Response::add_header(std::string_view name, std::string_view value) {
  headers.append(name).append(": ").append(value).append("\r\n");
}

void Response::add_header(std::string_view name, std::int64_t value) {
  headers.append(name).append(": ");
  append_number(headers, value);
  headers.append("\r\n");
}

void Response::add_vary(std::string_view names) {
  constexpr std::string_view name = "Vary", line_end = "\r\n", begin = "Vary: ";
  auto at = headers.starts_with(begin) ? 0 : headers.find("\r\nVary: ");
  if (at == std::string::npos) return add_header(name, names);
  at = headers.find(line_end, at + line_end.size());
  headers.insert(at, std::string(", ").append(names));
}

std::shared_ptr<void> Responder::hold(const Client& /*client*/, std::size_t /*bytes*/) {
  return std::make_shared<char>();
}

void append_head(std::string& out, const Response& response, const ResponseFrame& frame) {
  out.append(status_line(response.status)).append("Date: ").append(frame.date);
  // RFC 9110: a 204 has no Content-Length (section 8.6), and a 304 none of a body that it does not have.
  if (response.status != 204 && response.status != 304) {
    out.append("\r\nContent-Type: ").append(response.content_type).append("\r\nContent-Length: ");
    append_number(out, static_cast<std::int64_t>(response.body_size()));
  }
  out.append("\r\n").append(response.headers);
  if (!frame.keep_alive) {
    out.append("Connection: close\r\n");
  } else if (frame.http_1_0) {
    out.append("Connection: keep-alive\r\n");
  }
  out.append("\r\n");
}

void append_response(std::string& out, const Response& response, const ResponseFrame& frame) {
  append_head(out, response, frame);
  if (!frame.head_only) out.append(response.before).append(response.body).append(response.after);
}

std::string http_date(std::int64_t unix_seconds) {
  constexpr std::array<std::string_view, 7> days = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<std::string_view, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t seconds = unix_seconds;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::string text;
  const auto two_digits = [&](int number) {
    if (number < 10) text += '0';
    append_number(text, number);
  };
  text.append(days.at(static_cast<std::size_t>(utc.tm_wday))).append(", ");
  two_digits(utc.tm_mday);
  text.append(" ").append(months.at(static_cast<std::size_t>(utc.tm_mon))).append(" ");
  append_number(text, utc.tm_year + 1900);
  for (const auto& [separator, number] :
       {std::pair{' ', utc.tm_hour}, {':', utc.tm_min}, {':', utc.tm_sec}}) {
    text += separator;
    two_digits(number);
  }
  return text.append(" GMT");
}

}  // namespace waybill::api
