// The pages that mailed links open, for operators without a portal at PUBLIC_URL. Each calls the endpoint
// that the mail is about. Its addresses are relative, so that it also works under a path of a proxy.
#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/static_file.hpp"
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
    {.name = "token",
     .kind = Kind::string,
     .description = "The token of the mail, for the script of the page."}};

constexpr Endpoint page(std::string_view path, Handler handler, std::string_view operation_id,
                        std::string_view summary, std::string_view description) {
  return {.method = Method::get,
          .path = path,
          .permission = Permission::everyone,
          .handler = handler,
          .operation_id = operation_id,
          .summary = summary,
          .description = description,
          .tag = "Users",
          .query = token_parameter,
          .media_type = html_type,
          .headers = page_headers};
}

constexpr Endpoint file(std::string_view path, Handler handler, std::string_view media_type) {
  return static_file(path, handler, media_type, "Returns a file of the pages behind mailed links");
}

constexpr Endpoint mailed_link_endpoint_table[] = {
    page("/verify", send_embedded<WAYBILL_EMBEDDED_BOUNDS(verify_page)>, "getVerificationPage",
         "Returns the page behind the link of a verification mail",
         "The page calls verify with the token of the link."),
    page("/accept-invitation", send_embedded<WAYBILL_EMBEDDED_BOUNDS(invitation_page)>, "getInvitationPage",
         "Returns the page behind the link of an invitation",
         "The page asks for a password and calls accept-invitation with the token of the link."),
    page("/reset-password", send_embedded<WAYBILL_EMBEDDED_BOUNDS(reset_page)>, "getPasswordResetPage",
         "Returns the page behind the link of a forgotten password",
         "The page asks for a new password and calls reset-password with the token of the link."),
    file("/pages/mailed-link.js", send_embedded<WAYBILL_EMBEDDED_BOUNDS(mailed_link_script)>, script_type),
    file("/pages/mailed-link.css", send_embedded<WAYBILL_EMBEDDED_BOUNDS(mailed_link_style)>, style_type),
};

}  // namespace

std::span<const Endpoint> mailed_link_endpoints() { return mailed_link_endpoint_table; }

}  // namespace waybill::api
