// The pages that mailed links open, for operators without a portal at PUBLIC_URL. Each calls the API route
// that the mail is about. Its addresses are relative, so that it also works under a path of a proxy.
#include "api/route/route.hpp"
#include "api/route/static_file.hpp"
#include "base/embedded_file.hpp"

WAYBILL_EMBED(verify_page, WAYBILL_PAGES "/verify.html")
WAYBILL_EMBED(invitation_page, WAYBILL_PAGES "/accept-invitation.html")
WAYBILL_EMBED(reset_page, WAYBILL_PAGES "/reset-password.html")
WAYBILL_EMBED(mailed_link_script, WAYBILL_PAGES "/mailed-link.js")
WAYBILL_EMBED(mailed_link_style, WAYBILL_PAGES "/mailed-link.css")

namespace waybill::api {
namespace {

/// The address of a page contains a secret, which must be neither cached nor sent as a referrer.
constexpr HeaderField page_headers[] = {
    {"Cache-Control", "no-store"},
    {"Referrer-Policy", "no-referrer"},
    no_sniffing,
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; "
     "form-action 'none'; frame-ancestors 'none'"}};

constexpr Parameter token_parameter[] = {
    {.name = "token", .kind = Kind::string, .description = "as it was mailed; for the page's script"}};

constexpr Route page(std::string_view path, Handler handler, std::string_view summary) {
  return {.method = Method::get,
          .path = path,
          .permission = Permission::everyone,
          .handler = handler,
          .summary = summary,
          .tag = "Users",
          .query = token_parameter,
          .media_type = html_type,
          .headers = page_headers};
}

constexpr Route file(std::string_view path, Handler handler, std::string_view media_type) {
  return static_file(path, handler, media_type, "Part of the pages that mailed links lead to");
}

constexpr Route routes[] = {
    page("/verify", send_embedded<WAYBILL_EMBEDDED_BOUNDS(verify_page)>,
         "Where the link of a verification mail leads: a page with a button"),
    page("/accept-invitation", send_embedded<WAYBILL_EMBEDDED_BOUNDS(invitation_page)>,
         "Where the link of an invitation leads: a page that asks for a password"),
    page("/reset-password", send_embedded<WAYBILL_EMBEDDED_BOUNDS(reset_page)>,
         "Where the link of a forgotten password leads: a page that asks for a new one"),
    file("/pages/mailed-link.js", send_embedded<WAYBILL_EMBEDDED_BOUNDS(mailed_link_script)>, script_type),
    file("/pages/mailed-link.css", send_embedded<WAYBILL_EMBEDDED_BOUNDS(mailed_link_style)>, style_type),
};

}  // namespace

std::span<const Route> mailed_link_routes() { return routes; }

}  // namespace waybill::api
