#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <boost/asio/buffer.hpp>

#include "api/endpoint/schema.hpp"
#include "api/gate/request_check.hpp"
#include "api/http/request_parser.hpp"
#include "api/http/url.hpp"

namespace {

using namespace waybill;
using namespace waybill::api;

constexpr std::string_view choices[] = {"a", "b"};
constexpr Property part_properties[] = {
    {.name = "quantity", .kind = Kind::integer, .required = true, .minimum = 0},
    {.name = "price", .kind = Kind::money},
    {.name = "any", .kind = Kind::any},
};
constexpr Schema part{"Part", part_properties};
constexpr Property properties[] = {
    {.name = "guid", .kind = Kind::uuid, .read_only = true},
    {.name = "name", .kind = Kind::string, .required = true},
    {.name = "email", .kind = Kind::email},
    {.name = "at", .kind = Kind::timestamp},
    {.name = "day", .kind = Kind::date},
    {.name = "from", .kind = Kind::date_or_timestamp},
    {.name = "start", .kind = Kind::time_of_day},
    {.name = "delay", .kind = Kind::duration},
    {.name = "size", .kind = Kind::one_of, .values = choices},
    {.name = "weight", .kind = Kind::number, .maximum = 5},
    {.name = "urgent", .kind = Kind::boolean},
    {.name = "main", .kind = Kind::object, .schema = &part},
    {.name = "parts", .kind = Kind::array, .schema = &part},
    {.name = "ids", .kind = Kind::array, .items = Kind::uuid},
};
constexpr Schema schema{"Fuzzed", properties};

void check_body(BodyKind kind, std::string_view text) {
  const Endpoint endpoint{.method = Method::post,
                          .path = "/",
                          .permission = Permission::everyone,
                          .handler = nullptr,
                          .summary = {},
                          .tag = {},
                          .body = &schema,
                          .body_kind = kind};
  Call call;
  FieldErrors errors;
  read_json(endpoint, text, call, errors);
  // A valid body stays valid: only its read-only fields have been removed.
  if (errors.empty() && kind == BodyKind::object) {
    validate(schema, call.body.get_object(), errors);
    if (!errors.empty()) std::abort();
  }
}

void parse_request(std::string_view text) {
  std::size_t from = 0;
  const auto scan = scan_head(text, from);
  if (scan.state != HeadScan::State::complete) return;
  RequestParser parser;
  RequestParser::ErrorCode error;
  const auto head = parser.put(boost::asio::buffer(text.data(), scan.size), error);
  if (error || head != scan.size) return;
  std::string body;
  parser.keep_body(&body, 1024);
  auto rest = text.substr(scan.size);
  while (!rest.empty() && !parser.is_done() && !error) {
    rest.remove_prefix(parser.put(boost::asio::buffer(rest.data(), rest.size()), error));
  }
  if (body.size() > 1024) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  std::vector<std::string> malformed;
  switch (data[0] % 4) {
    case 0:
      check_body(BodyKind::object, text);
      break;
    case 1:
      check_body(BodyKind::array, text);
      check_body(BodyKind::one_or_array, text);
      break;
    case 2:
      parse_query(text, malformed);
      break;
    default:
      parse_request(text);
  }
  return 0;
}
