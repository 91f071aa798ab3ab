// The console: its files as `npm run build` made them in console/built, under /console/. Each is sent with
// gzip, which RFC 9110 section 12.5.3 allows unless a client refuses it; no browser does.
#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/entity_tag.hpp"
#include "api/endpoint/static_file.hpp"
#include "api/http/language.hpp"
#include "api/http/message.hpp"
#include "base/embedded_file.hpp"

#define X(symbol, path, file, media_type, is_named_by_content) WAYBILL_EMBED(symbol, WAYBILL_CONSOLE "/" file)
#include "console/built/files.inc"
#undef X

namespace waybill::api {
namespace {

constexpr HeaderField compressed{"Content-Encoding", "gzip"};
/// The name of such a file changes with its content.
constexpr HeaderField immutable{"Cache-Control", "public, max-age=31536000, immutable"};
/// Caches ask each time, so that a new version shows at once.
constexpr HeaderField asked{"Cache-Control", "no-cache"};

/// The page loads nothing from elsewhere, and makes HTML of text only by the policy of its framework, for its
/// own templates.
constexpr HeaderField page_policy{
    "Content-Security-Policy",
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types svelte-trusted-html"};
/// The page that shows the HTML of mails has no origin, and its content loads nothing.
constexpr HeaderField frame_policy{
    "Content-Security-Policy",
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts"};
constexpr HeaderField no_referrer{"Referrer-Policy", "no-referrer"};
constexpr HeaderField by_language{"Vary", "Accept-Language"};

constexpr HeaderField named_headers[] = {compressed, immutable, no_sniffing};
constexpr HeaderField file_headers[] = {compressed, asked, no_sniffing};
constexpr HeaderField page_headers[] = {compressed,  asked,       no_sniffing,
                                        page_policy, no_referrer, by_language};
constexpr HeaderField frame_headers[] = {compressed, asked, no_sniffing, frame_policy, no_referrer};

/// Sends an embedded file, or 304 to a client that has it.
template <const char* begin, const char* end>
asio::awaitable<Answer> send_file(Call& call, Services&) {
  static const std::string tag = entity_tag(Response{.before = {begin, end}});
  auto answer = names_entity_tag(call.head, tag) ? Answer{.status = 304} : Answer::of_embedded({begin, end});
  answer.headers = "ETag: " + tag + "\r\n";
  co_return answer;
}

constexpr Endpoint file(std::string_view path, Handler handler, std::string_view media_type,
                        std::span<const HeaderField> headers) {
  auto row = static_file(path, handler, media_type, "Returns a file of the console");
  row.headers = headers;
  return row;
}

constexpr std::string_view page_path = "/console/index.html", frame_path = "/console/frame.html";

constexpr std::span<const HeaderField> headers_of(std::string_view path, bool is_named_by_content) {
  if (path == page_path) return page_headers;
  if (path == frame_path) return frame_headers;
  return is_named_by_content ? std::span<const HeaderField>(named_headers) : file_headers;
}

constexpr Endpoint files[] = {
#define X(symbol, path, file_name, media_type, is_named_by_content) \
  file(path, send_file<WAYBILL_EMBEDDED_BOUNDS(symbol)>, media_type, headers_of(path, is_named_by_content)),
#include "console/built/files.inc"
#undef X
};

constexpr const Endpoint& page = *std::ranges::find(files, page_path, &Endpoint::path);

/// A page or the code of a language, and the value of a field Link: the files that it needs besides the first
/// page.
struct Links {
  std::string_view name, value;
};

constexpr Links all_links[] = {
#define X(name, value) {name, value},
#include "console/built/links.inc"
#undef X
};

/// The first part of a place, as console/src/route.svelte.ts reads it. `head` is that of its request.
std::string_view page_name(std::string_view head) {
  constexpr std::string_view root = "/console/";
  auto target = head.substr(head.find(' ') + 1);
  target = target.substr(0, target.find_first_of(" ?"));
  if (!target.starts_with(root)) return "today";
  target.remove_prefix(root.size());
  const auto name = target.substr(0, target.find('/'));
  return name.empty() ? "today" : name;
}

void add_links(std::string& headers, std::string_view name) {
  const auto* const found = std::ranges::find(all_links, name, &Links::name);
  if (found != std::end(all_links)) headers.append("Link: ").append(found->value).append("\r\n");
}

/// Sends the page, and names the files of its place and its language. So the browser fetches them at once,
/// and the first rows wait for three requests in a row: the page, its files, the API.
asio::awaitable<Answer> send_page(Call& call, Services& services) {
  auto answer = co_await page.handler(call, services);
  add_links(answer.headers, page_name(call.head));
  const auto accepted = find_field(call.head, "accept-language").value_or("");
  add_links(answer.headers, preferred_locale(accepted).tag());
  co_return answer;
}

/// Sends the page for its first place. A name with a dot is a file, of another version if it is not here.
asio::awaitable<Answer> send_place(Call& call, Services& services) {
  if (call.path_text.find('.') != std::string::npos)
    throw Failure(ErrorCode::not_found, "The console has no such file.");
  co_return co_await send_page(call, services);
}

constexpr Endpoint place(std::string_view path, Handler handler) {
  auto row = page;
  row.path = path;
  row.handler = handler;
  return row;
}

/// The places of the console; the script reads the rest of the URL (console/src/route.svelte.ts).
constexpr Endpoint places[] = {
    place("/console", send_page),
    place("/console/", send_page),
    place("/console/{page:text}", send_place),
    place("/console/{page:text}/{id:text}", send_page),
    place("/console/{page:text}/{id:text}/{tab:text}", send_page),
};

}  // namespace

std::span<const Endpoint> console_endpoints() {
  static const auto rows = [] {
    std::vector<Endpoint> all(std::begin(files), std::end(files));
    all.insert(all.end(), std::begin(places), std::end(places));
    return all;
  }();
  return rows;
}

}  // namespace waybill::api
