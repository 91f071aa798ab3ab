#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "api/endpoint/job_kind.hpp"
#include "api/endpoint/schema.hpp"
#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/database/database.hpp"

namespace waybill::api {

namespace asio = boost::asio;

enum class Method : std::uint8_t { get, post, put, patch, del };

/// The callers of an endpoint. There is no default: a row without it does not compile.
enum class Permission : std::uint8_t {
  everyone,    // no token
  signed_in,   // any token, including that of a user without a business
  read,        // every role
  operate,     // operator, admin and owner
  administer,  // admin and owner
};

enum class Role : std::uint8_t { viewer, operator_, admin, owner };
inline constexpr std::string_view role_names[] = {"viewer", "operator", "admin", "owner"};
/// The role of this name; viewer for any other.
Role parse_role(std::string_view name);

/// The kinds of callers.
enum class Caller : std::uint8_t {
  api_token,
  user,
  link,  // the session of a one-time link: nobody's, begun by an operator
};

/// The caller of a request.
struct Principal {
  Guid business_id;  // nil for a user without a business
  Guid token_id;     // of the API token or the session
  Guid user_id;      // nil for other callers than users
  std::string name;  // name of the token, the user or the operator
  Role role = Role::viewer;
  Caller caller = Caller::api_token;
  bool by_cookie = false;  // the token came in the session cookie (api/http/session_cookie.hpp)

  bool is_user() const { return caller == Caller::user; }
};

/// The caller as the author of changes: JSON {type, guid, name}. The author of a link's changes is the
/// operator, who has no guid.
std::string author_json(const Principal& principal);

/// The Failure (403) for calls on behalf of a business that the operator has suspended.
Failure business_suspended();

/// A query parameter. An empty one counts as missing. One of Kind::array may be given several times, each
/// time with one of its `values`; Call::query has all of them. The parameters of lists are in
/// api/endpoint/paging.hpp.
struct Parameter {
  std::string_view name;  // as the interface document spells it; matched exactly
  Kind kind;
  bool required = false;
  std::optional<double> minimum = {};
  std::optional<double> maximum = {};
  std::size_t max_length = 0;  // characters; 0: 200, of a text 10 000
  std::span<const std::string_view> values = {};
  std::string_view description = {};
  bool flag = false;  // it counts as given without a value: a boolean is then true, a text empty
};

struct Services;
class Job;

/// A request that has passed all checks that its endpoint declares.
struct Call {
  Principal principal;
  std::vector<Guid> ids;                                        // the {name} parts of the path, in order
  std::vector<std::pair<std::string_view, std::string>> query;  // the given parameters by name
  json::value body;                                             // validated; null if there is none
  std::string request_id;
  std::string raw_body;        // for BodyKind::raw and BodyKind::multipart
  std::string content_type;    // type of raw_body, as sent
  std::string path_text;       // the {name:text} part of the path, percent-decoded
  FieldErrors errors;          // found so far, for an endpoint that `adds_errors`
  std::string_view peer = {};  // the client's network address
  std::string_view head = {};  // head of the request, for find_field (api/http/message.hpp)
  bool is_audited = false;     // its changes are in the audit log, which names the request and the client
  bool is_bulk = false;        // its writes are bulk work (storage::Cause)
  bool has_bad_value = false;  // its list of records may have one for refuse_unreadable
  Job* job = nullptr;  // the job that performs the call; null for one that is answered with its result

  const Guid& business() const { return principal.business_id; }
  const Guid& id(std::size_t index = 0) const { return ids.at(index); }
  std::optional<std::string_view> parameter(std::string_view name) const;
  const json::object& object() const { return body.get_object(); }
  /// The caller as the cause of the changes that a write makes; `note` is kept with them.
  storage::Cause cause(std::string_view note = {}) const;
};

/// A successful answer. `data` is JSON text; empty for one without data.
struct Answer {
  int status = 200;
  std::string data = {};
  std::string_view embedded = {};  // the whole body, instead of `data`; lives as long as the process
  std::optional<std::int64_t> page = {}, page_size = {}, total_count = {};  // place of a page in its list
  std::string members = {};  // JSON of further members next to the data, with a comma before each
  std::string location = {};
  std::string file_name = {};        // for saving a document: ASCII letters, digits, . - _
  std::string_view media_type = {};  // instead of the endpoint's: `data` alone is the body
  std::string headers = {};          // besides the endpoint's: complete lines with their CRLF

  static Answer none() { return {}; }
  static Answer of(std::string data) { return {.data = std::move(data)}; }
  static Answer of_embedded(std::string_view body) { return {.embedded = body}; }
  static Answer created(std::string data, std::string location) {
    return {.status = 201, .data = std::move(data), .location = std::move(location)};
  }
};

/// Answers a call. Throws Failure for refusals; errors of storage are mapped in api/gate/errors.cpp. Runs on
/// the io thread of its Services.
using Handler = asio::awaitable<Answer> (*)(Call& call, Services& services);

enum class BodyKind : std::uint8_t {
  none,          // nothing, or JSON without any field; other types are dropped
  object,        // JSON by `body`; an empty body counts as {}
  array,         // JSON, of 1 to 1 000 objects by `body`
  one_or_array,  // either of the two
  multipart,     // multipart/form-data of up to 10 MiB, as raw_body
  raw,           // any type, as raw_body
};

/// Checks rules between the fields of an object, which a Schema cannot express, and adds to `errors`, so that
/// all bad fields are reported at once. Called after the check of the schema, also for an object that failed
/// it, and for each object of an array.
using BodyCheck = void (*)(const json::object& body, FieldErrors& errors);

/// A header field of all successful answers of an endpoint.
struct HeaderField {
  std::string_view name;
  std::string_view value;
};

/// An endpoint. Router, validation, 405, permission check and OpenAPI document use this row.
struct Endpoint {
  Method method;
  std::string_view path;  // "/api/v1/Orders/{orderId}/status": {name} is a uuid, {name:text} any one segment
  Permission permission;
  Handler handler;
  std::string_view operation_id = {};  // "listOrders"; generated clients name their methods by it
  std::string_view summary = {};
  std::string_view description = {};
  std::string_view tag = {};     // empty: not in the OpenAPI document, as part of another endpoint's page
  const Schema* body = nullptr;  // schema of an object, or of the objects of an array
  BodyCheck body_check = nullptr;
  BodyKind body_kind = BodyKind::none;
  Handler shown_by = nullptr;  // of the GET whose answer may be the body, also with values that others wrote
  std::span<const Parameter> query = {};
  const Schema* answer = nullptr;        // schema of `data`; for the OpenAPI document
  bool answer_is_array = false;          // without `answer`: always empty
  std::optional<Kind> answer_kind = {};  // instead of `answer`: the kind of `data` that has no schema
  bool paginated = false;
  const Schema* sums = nullptr;  // schema of the entries of `sums`, which stand next to the data of a list
  int status = 200;              // a GET that `changes` answers 200 instead of 201; its POST answers 201
  bool needs_body = false;       // a POST that refuses an empty body, although no property is required
  bool may_change = false;       // also answers 200, if it updates a record instead of creating one
  bool changes = false;          // a GET that changes something: accepts POST, not HEAD; never stored
  std::span<const ErrorCode> errors = {};  // besides the usual ones; for the OpenAPI document
  bool bare = false;                       // the answer is `data` alone, without the envelope
  bool adds_errors = false;          // the handler checks further rules and throws Call::errors with its own
  std::string_view media_type = {};  // the answer is `data` alone, a document of this type
  std::span<const std::string_view> other_media_types = {};  // that the answer may have instead
  std::span<const HeaderField> headers = {};                 // fields of its successful answers
  bool is_audited = false;    // it changes what the audit log covers; always true of Permission::administer
  bool from_standby = false;  // a standby may serve its reads, as those of paginated lists
  bool is_bulk = false;       // its writes may take long whatever the size of its body
  bool while_suspended = false;     // a suspended business may call it
  std::optional<JobKind> job = {};  // with `Prefer: respond-async` a job performs it (api/endpoint/job.hpp)
};

/// The rows of one resource, defined in the file of its handlers.
std::span<const Endpoint> order_endpoints();
std::span<const Endpoint> order_sheet_endpoints();
std::span<const Endpoint> customer_endpoints();
std::span<const Endpoint> customer_list_endpoints();
std::span<const Endpoint> customer_upload_endpoints();
std::span<const Endpoint> customer_privacy_endpoints();
std::span<const Endpoint> product_endpoints();
std::span<const Endpoint> variant_endpoints();
std::span<const Endpoint> preset_endpoints();
std::span<const Endpoint> carrier_endpoints();
std::span<const Endpoint> shipment_endpoints();
std::span<const Endpoint> purchase_endpoints();
std::span<const Endpoint> dispatch_endpoints();
std::span<const Endpoint> driver_endpoints();
std::span<const Endpoint> route_plan_endpoints();
std::span<const Endpoint> tracking_endpoints();
std::span<const Endpoint> vehicle_endpoints();
std::span<const Endpoint> vehicle_travel_endpoints();
std::span<const Endpoint> workflow_endpoints();
std::span<const Endpoint> workflow_header_endpoints();
std::span<const Endpoint> template_endpoints();
std::span<const Endpoint> run_endpoints();
std::span<const Endpoint> message_endpoints();
std::span<const Endpoint> trial_endpoints();
std::span<const Endpoint> insight_endpoints();
std::span<const Endpoint> upcoming_endpoints();
std::span<const Endpoint> discovery_endpoints();
std::span<const Endpoint> watching_endpoints();
std::span<const Endpoint> version_endpoints();
std::span<const Endpoint> event_feed_endpoints();
std::span<const Endpoint> send_test_endpoints();
std::span<const Endpoint> system_endpoints();
std::span<const Endpoint> reference_endpoints();
std::span<const Endpoint> console_endpoints();
std::span<const Endpoint> mailed_link_endpoints();
std::span<const Endpoint> user_endpoints();
std::span<const Endpoint> session_endpoints();
std::span<const Endpoint> preference_endpoints();
std::span<const Endpoint> password_endpoints();
std::span<const Endpoint> business_endpoints();
std::span<const Endpoint> business_user_endpoints();
std::span<const Endpoint> alert_endpoints();
std::span<const Endpoint> token_endpoints();
std::span<const Endpoint> audit_endpoints();
std::span<const Endpoint> subscription_endpoints();
std::span<const Endpoint> integration_endpoints();
std::span<const Endpoint> integration_run_endpoints();
std::span<const Endpoint> inbound_endpoints();
std::span<const Endpoint> tracking_page_endpoints();
std::span<const Endpoint> search_endpoints();
std::span<const Endpoint> today_endpoints();
std::span<const Endpoint> job_endpoints();
std::span<const Endpoint> destination_endpoints();

/// All rows, in any order.
std::vector<Endpoint> all_endpoints();

}  // namespace waybill::api
