#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "api/route/schema.hpp"
#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/database.hpp"

namespace waybill::api {

namespace asio = boost::asio;

enum class Method : std::uint8_t { get, post, put, patch, del };

/// Who may call. There is no default: a route row without it does not compile.
enum class Permission : std::uint8_t {
  everyone,    // no token
  signed_in,   // any token, also of a user without a business
  read,        // every role
  operate,     // operator and up
  administer,  // admin and owner
};

enum class Role : std::uint8_t { viewer, operator_, admin, owner };
inline constexpr std::string_view role_names[] = {"viewer", "operator", "admin", "owner"};
/// Of one of the names.
Role parse_role(std::string_view name);

/// Whose request it is.
struct Principal {
  Guid business_id;  // nil: a user without one
  Guid token_id;
  Guid user_id;      // nil for API tokens
  std::string name;  // the token's label or the user's name
  Role role = Role::viewer;
  bool is_user = false;
};

/// A query parameter. All of them are optional unless `required`; one that is given empty counts as not
/// given. Those of lists are in api/route/paging.hpp.
struct Parameter {
  std::string_view name;  // as the interface document spells it; matched exactly
  Kind kind;
  bool required = false;
  std::optional<double> minimum = {};
  std::optional<double> maximum = {};
  std::size_t max_length = 0;  // characters; 0: 200, of a text 10 000
  std::span<const std::string_view> values = {};
  std::string_view description = {};
  bool flag = false;  // a boolean that is true when its name is given without a value
};

struct Services;

/// A request that passed every check its route declares.
struct Call {
  Principal principal;
  std::vector<Guid> ids;                                        // the path's {name} in order
  std::vector<std::pair<std::string_view, std::string>> query;  // those given, by the declared name
  json::value body;                                             // validated; null without one
  std::string request_id;
  std::string raw_body;        // of BodyKind::raw and BodyKind::multipart
  std::string content_type;    // as sent, with raw_body (it holds multipart's boundary)
  std::string path_text;       // what stands for the path's {name:text}, percent-decoded
  FieldErrors errors;          // found so far, of a route that `adds_errors`
  std::string_view peer = {};  // the client's network address
  std::string_view head = {};  // of BodyKind::raw: the request's head, for find_field (api/http/message.hpp)

  const Guid& id(std::size_t index = 0) const { return ids.at(index); }
  std::optional<std::string_view> parameter(std::string_view name) const;
  const json::object& object() const { return body.get_object(); }
  /// The caller as the cause of the changes a write makes; `note` is kept with them.
  storage::Cause cause(std::string_view note = {}) const;
};

/// A successful answer. `data` is JSON text; empty for one without data.
struct Answer {
  int status = 200;
  std::string data = {};
  std::optional<std::int64_t> page = {}, page_size = {}, total_count = {};  // of a paginated list
  std::string location = {};
  std::string file_name = {};  // of a document: what a browser saves it as; ASCII letters, digits, . - _

  static Answer none() { return {}; }
  static Answer of(std::string data) { return {.data = std::move(data)}; }
  static Answer created(std::string data, std::string location) {
    return {.status = 201, .data = std::move(data), .location = std::move(location)};
  }
};

/// Refusals are thrown as Failure; storage's errors pass through and are mapped in one place
/// (api/gate/errors.cpp). Runs on the io thread whose Services it is given.
using Handler = asio::awaitable<Answer> (*)(Call& call, Services& services);

enum class BodyKind : std::uint8_t {
  none,          // JSON without any field, or nothing; what is not JSON is dropped
  object,        // JSON by `body`; an empty body counts as {}
  array,         // JSON, of 1 to 1 000 objects by `body`
  one_or_array,  // either of the two
  multipart,     // multipart/form-data of up to 10 MiB, handed over as raw_body
  raw,           // any type, handed over as raw_body
};

/// Rules between an object's fields, which a Schema cannot say: adds to `errors`, so that all bad fields are
/// reported at once. Called after the schema's check whatever that found, so it must bear any shape; for each
/// object of an array.
using BodyCheck = void (*)(const json::object& body, FieldErrors& errors);

/// A header field that a route's successful answers always have.
struct HeaderField {
  std::string_view name;
  std::string_view value;
};

/// An endpoint, whole: router, validation, 405, permission check and OpenAPI all come from this row.
struct Route {
  Method method;
  std::string_view path;  // "/api/v1/Orders/{orderId}/status": {name} is a uuid, {name:text} any one segment
  Permission permission;
  Handler handler;
  std::string_view summary;
  std::string_view tag;          // empty: not in the OpenAPI document, being part of another's page
  const Schema* body = nullptr;  // of an object, or of an array's objects
  BodyCheck body_check = nullptr;
  BodyKind body_kind = BodyKind::none;
  std::span<const Parameter> query = {};
  const Schema* answer = nullptr;  // of `data`; for the OpenAPI document
  bool answer_is_array = false;
  bool paginated = false;
  int status = 200;         // 201 of a GET that changes something is its POST's; the GET has 200
  bool may_change = false;  // 200 where it changes what is there instead of making another
  bool changes = false;     // a GET that changes something: no-store, also under POST, never under HEAD
  std::span<const ErrorCode> errors = {};  // further ones than its kind has; for the OpenAPI document
  bool bare = false;                       // the answer is `data` alone, without the envelope
  bool adds_errors = false;          // the handler knows further rules, and throws `errors` with its own
  bool answer_is_guid = false;       // `data` is a guid, not an object
  std::string_view media_type = {};  // the answer is `data` alone, a document of this type and no JSON
  std::span<const HeaderField> headers = {};  // further ones of its successful answers
};

/// The rows of one resource, in the file that holds its handlers.
std::span<const Route> order_routes();
std::span<const Route> customer_routes();
std::span<const Route> customer_list_routes();
std::span<const Route> customer_upload_routes();
std::span<const Route> product_routes();
std::span<const Route> variant_routes();
std::span<const Route> preset_routes();
std::span<const Route> carrier_routes();
std::span<const Route> shipment_routes();
std::span<const Route> dispatch_routes();
std::span<const Route> driver_routes();
std::span<const Route> route_plan_routes();
std::span<const Route> tracking_routes();
std::span<const Route> vehicle_routes();
std::span<const Route> vehicle_travel_routes();
std::span<const Route> workflow_routes();
std::span<const Route> workflow_header_routes();
std::span<const Route> template_routes();
std::span<const Route> run_routes();
std::span<const Route> insight_routes();
std::span<const Route> system_routes();
std::span<const Route> reference_routes();
std::span<const Route> mailed_link_routes();
std::span<const Route> user_routes();
std::span<const Route> password_routes();
std::span<const Route> business_routes();
std::span<const Route> business_user_routes();
std::span<const Route> token_routes();
std::span<const Route> subscription_routes();
std::span<const Route> integration_routes();
std::span<const Route> integration_run_routes();
std::span<const Route> inbound_routes();

/// All of them; the order does not matter.
std::vector<Route> all_routes();

}  // namespace waybill::api
