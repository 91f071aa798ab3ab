// The reference page: Swagger UI, which shows /openapi.json. All files that it loads are served from here.
#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/static_file.hpp"
#include "base/embedded_file.hpp"

WAYBILL_EMBED(reference_page, WAYBILL_REFERENCE "/index.html")
WAYBILL_EMBED(reference_script, WAYBILL_REFERENCE "/reference.js")
WAYBILL_EMBED(swagger_ui_script, WAYBILL_SWAGGER_UI "/swagger-ui-bundle.js")
WAYBILL_EMBED(swagger_ui_licenses, WAYBILL_SWAGGER_UI "/swagger-ui-bundle.js.LICENSE.txt")
WAYBILL_EMBED(swagger_ui_style, WAYBILL_SWAGGER_UI "/swagger-ui.css")

namespace waybill::api {
namespace {

/// Icons in the style sheet are data URLs; everything else comes from this server. The page receives tokens,
/// so it cannot be framed.
constexpr HeaderField content_security_policy{
    "Content-Security-Policy",
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"};
constexpr HeaderField page_headers[] = {cache_control, no_sniffing, content_security_policy};
constexpr Endpoint file(std::string_view path, Handler handler, std::string_view media_type) {
  return static_file(path, handler, media_type, "Returns a file of the reference page");
}

constexpr Endpoint reference_endpoint_table[] = {
    {.method = Method::get,
     .path = "/docs",
     .permission = Permission::everyone,
     .handler = send_embedded<WAYBILL_EMBEDDED_BOUNDS(reference_page)>,
     .operation_id = "getReferencePage",
     .summary = "Returns this document as a page",
     .description = "The page works without access to other servers.",
     .tag = "System",
     .media_type = html_type,
     .headers = page_headers},
    file("/docs/reference.js", send_embedded<WAYBILL_EMBEDDED_BOUNDS(reference_script)>, script_type),
    file("/docs/swagger-ui-bundle.js", send_embedded<WAYBILL_EMBEDDED_BOUNDS(swagger_ui_script)>,
         script_type),
    file("/docs/swagger-ui-bundle.js.LICENSE.txt",
         send_embedded<WAYBILL_EMBEDDED_BOUNDS(swagger_ui_licenses)>, "text/plain; charset=utf-8"),
    file("/docs/swagger-ui.css", send_embedded<WAYBILL_EMBEDDED_BOUNDS(swagger_ui_style)>, style_type),
};

}  // namespace

std::span<const Endpoint> reference_endpoints() { return reference_endpoint_table; }

}  // namespace waybill::api
