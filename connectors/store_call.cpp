#include "connectors/store_call.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <new>
#include <stdexcept>

#include "base/ascii.hpp"
#include "base/crypto.hpp"
#include "connectors/store_memory.hpp"
#include "domain/workflows/retry.hpp"
#include "net/destination/ascii_host.hpp"

namespace waybill::connectors {
namespace {

constexpr std::string_view blanks = " \t\r\n\f\v";
constexpr std::size_t message_limit = 300;

StoreProblem problem_of(net::HttpFailure failure) {
  switch (failure) {
    case net::HttpFailure::refused_destination:
    case net::HttpFailure::dns:
    case net::HttpFailure::connect:
      return StoreProblem::unreachable;
    case net::HttpFailure::tls:
      return StoreProblem::tls;
    default:
      return StoreProblem::busy;
  }
}

std::string with_message(std::string sentence, std::string_view message) {
  const auto clean = clean_text(message, message_limit);
  return clean ? std::move(sentence) + ": " + *clean : std::move(sentence) + ".";
}

std::optional<Duration> decimal_seconds(std::string_view text) {
  double seconds = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), seconds, std::chars_format::fixed);
  constexpr double longest = 1e6;
  if (error != std::errc() || end != text.data() + text.size() || !(seconds >= 0 && seconds <= longest))
    return std::nullopt;
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::string_view without_marks(std::string_view text) {
  while (true) {
    text = trimmed(text, blanks);
    if (!text.starts_with(byte_order_mark)) return text;
    text.remove_prefix(byte_order_mark.size());
  }
}

/// True for a text that begins with a message of PHP, which a site may display ("<br />\n<b>Warning</b>: … on
/// line <b>7</b><br />\n").
bool is_php_message(std::string_view text) {
  return text.starts_with("<br") || text.starts_with("<b>") ||
         std::ranges::any_of(std::initializer_list<std::string_view>{"Warning:", "Notice:", "Deprecated:"},
                             [&](std::string_view kind) { return text.starts_with(kind); });
}

/// The JSON in an answer's body. Messages of PHP before it are on lines of their own.
std::string_view json_part(std::string_view body) {
  auto text = without_marks(body);
  const bool has_messages = is_php_message(text);
  while (has_messages && !text.starts_with('{') && !text.starts_with('[')) {
    const auto line_end = text.find('\n');
    if (line_end == std::string_view::npos) return without_marks(body);
    text = without_marks(text.substr(line_end + 1));
  }
  return text;
}

/// True for text after the JSON that does not belong to it: white space, the comment of a cache, and what PHP
/// says while it ends the request.
bool is_ignored(std::string_view rest) {
  rest = without_marks(rest);
  return rest.empty() || rest.starts_with("<!--") || is_php_message(rest);
}

/// The JSON in an answer's body; error::incomplete for a list or object without its end.
boost::system::result<json::value> parsed(std::string_view body, const json::storage_ptr& memory) {
  json::parse_options options;
  options.max_depth = 64;
  options.allow_invalid_utf8 = true;  // clean_text repairs the affected text
  json::stream_parser parser(memory, options);
  parser.reset(memory);
  boost::system::error_code error;
  const auto text = json_part(body);
  const auto used = parser.write_some(text, error);
  if (error) return error;
  if (!parser.done()) {
    const bool has_begun = text.starts_with('{') || text.starts_with('[');
    return boost::system::error_code(has_begun ? json::error::incomplete : json::error::syntax);
  }
  if (!is_ignored(text.substr(used))) return boost::system::error_code(json::error::extra_data);
  return parser.release();
}

}  // namespace

asio::awaitable<net::HttpResponse> ask(const Send& send, net::HttpRequest request) {
  const std::size_t limit = StoreMemory::answer_limit();
  StoreMemory::Charge memory;
  memory.add(limit);
  request.total_timeout = std::chrono::seconds(30);
  request.read_limit = limit;
  request.keep_limit = limit;
  auto response = co_await send(std::move(request));
  if (response.failure != net::HttpFailure::none) {
    const auto problem = problem_of(response.failure);
    throw StoreError(problem, (problem == StoreProblem::tls ? "The store's TLS cannot be trusted: "
                                                            : "The store cannot be reached: ") +
                                  response.error);
  }
  constexpr int too_many_requests = 429;
  constexpr int first_server_error = 500;
  if (response.status == too_many_requests || response.status >= first_server_error) {
    const auto problem = response.status == too_many_requests ? StoreProblem::busy : StoreProblem::failing;
    throw StoreError(problem, "The store answers " + std::to_string(response.status) + ".",
                     retry_after(response, response.started_at + response.duration));
  }
  if (response.body.size() >= limit) {
    constexpr std::size_t mebibyte = 1024UL * 1024;
    throw OversizedAnswer("The store's answer is larger than " + std::to_string(limit / mebibyte) + " MiB.");
  }
  co_return response;
}

json::value json_of(const net::HttpResponse& response) {
  bool is_cut = false;
  try {
    auto value = parsed(response.body, StoreMemory::tree());
    if (value) return std::move(*value);
    is_cut = value.error() == json::error::incomplete;
  } catch (const std::bad_alloc&) {
    throw OversizedAnswer("The store's answer has too many values.");
  }
  if (is_cut) throw StoreError(StoreProblem::busy, "The store's answer is cut off.");
  throw StoreError(StoreProblem::wrong_store,
                   "The server at the store's address does not have the API of such a store: "
                   "it answers " +
                       std::to_string(response.status) + " without JSON.");
}

std::optional<json::value> json_in(std::string_view body) {
  auto value = parsed(body, {});
  return value ? std::optional(std::move(*value)) : std::nullopt;
}

bool may_depend_on_size(const StoreError& error) {
  const auto problem = error.problem();
  if (problem == StoreProblem::failing) return true;
  return !error.retry_after() && (problem == StoreProblem::busy || problem == StoreProblem::wrong_store ||
                                  problem == StoreProblem::refused);
}

StoreError refusal(const net::HttpResponse& response, std::string_view message) {
  const auto status = std::to_string(response.status);
  switch (response.status) {
    case 401:
    case 403:
      return {StoreProblem::credentials,
              with_message("The store refuses the credentials (" + status + ")", message)};
    case 404:
      return {StoreProblem::wrong_store,
              with_message("There is no such API at the store's address (404)", message)};
    default:
      return {StoreProblem::refused, with_message("The store refuses the request (" + status + ")", message)};
  }
}

std::optional<Duration> retry_after(const net::HttpResponse& response, Time now) {
  const auto header = response.header("retry-after");
  if (!header) return std::nullopt;
  if (const auto seconds = decimal_seconds(trimmed(*header, blanks))) return seconds;
  return domain::parse_retry_after(*header, now);
}

std::string normal_store_url(std::string_view store_url) {
  const std::string text = net::with_ascii_host(trimmed(store_url, blanks));
  const auto destination = net::parse_destination(text);
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (!destination || (destination->scheme != "http" && destination->scheme != "https") ||
      !std::ranges::all_of(destination->host, is_ascii)) {
    throw std::invalid_argument("must be the store's address, such as https://shop.example");
  }
  if (text.find_first_of("?#") != std::string::npos)
    throw std::invalid_argument("must not have a query or fragment");
  const auto authority = text.find("://") + 3;
  const auto path_start = text.find('/', authority);
  if (text.substr(authority, path_start - authority).find('@') != std::string::npos) {
    throw std::invalid_argument("must not contain a user or password");
  }
  std::string url = destination->scheme + "://";
  url += destination->host.find(':') != std::string::npos ? "[" + destination->host + "]" : destination->host;
  constexpr int http_port = 80;
  constexpr int https_port = 443;
  if (destination->port != (destination->scheme == "https" ? https_port : http_port)) {
    url += ":" + std::to_string(destination->port);
  }
  if (path_start != std::string::npos) url += text.substr(path_start);
  while (url.ends_with('/')) url.pop_back();
  return url;
}

bool signature_matches(std::string_view secret, std::string_view body, std::string_view signature) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(secret.data());
  return equal_constant_time(base64(hmac_sha256({bytes, secret.size()}, body)), signature);
}

}  // namespace waybill::connectors
