#include "api/gate/gate.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/endpoint/entity_tag.hpp"
#include "api/endpoint/selected.hpp"
#include "api/gate/compression.hpp"
#include "api/gate/cors.hpp"
#include "api/gate/errors.hpp"
#include "api/gate/idempotency.hpp"
#include "api/gate/job_request.hpp"
#include "api/gate/request_check.hpp"
#include "api/http/client_address.hpp"
#include "api/http/client_network.hpp"
#include "api/http/session_cookie.hpp"
#include "base/observe.hpp"
#include "storage/database/unit_of_work.hpp"
#include "storage/sql/standbys.sql.hpp"
#include "storage/standbys/request_database.hpp"

namespace waybill::api {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::string_view success_only = R"({"success":true})";
// A larger body can name so many records that the writes of its request take long. It also takes so long to
// parse that other requests would wait for the io thread.
constexpr std::size_t bulk_body = 16UL * 1024;
// Requests per minute that a cookie session has at least: a page of the console makes several.
constexpr std::int64_t least_of_cookies = 600;
constexpr std::string_view every_method = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/// The path and query of a target in origin-form or absolute-form (RFC 9112 section 3.2); empty for any
/// other.
std::string_view origin_form(std::string_view target) {
  if (target.starts_with('/')) return target;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    const auto path = target.find('/', scheme.size());
    return path == std::string_view::npos ? "/" : target.substr(path);
  }
  return {};
}

/// The lowest role that has a permission.
Role least_role(Permission permission) {
  switch (permission) {
    case Permission::operate:
      return Role::operator_;
    case Permission::administer:
      return Role::admin;
    default:
      return Role::viewer;
  }
}

void check_permission(const Principal& principal, Permission permission) {
  if (permission == Permission::signed_in) return;
  if (principal.business_id.is_nil())
    throw Failure(ErrorCode::forbidden, "This call needs a business; create one first.");
  if (principal.role < least_role(permission))
    throw Failure(ErrorCode::forbidden, "The token's role does not allow this.");
}

std::string paging_suffix(std::int64_t page, const Answer& answer) {
  const auto size = answer.page_size.value_or(1);
  const auto total = answer.total_count.value_or(0);
  std::string text = ",\"page\":" + std::to_string(page) + ",\"pageSize\":" + std::to_string(size);
  text += ",\"totalCount\":" + std::to_string(total) +
          ",\"totalPages\":" + std::to_string((total + size - 1) / size);
  return text += answer.members + ",\"success\":true}";
}

void render(Answer answer, const Endpoint& endpoint, Response& response) {
  response.status = answer.status;
  if (answer.status == 201 && !answer.location.empty()) response.add_header("Location", answer.location);
  for (const auto& [name, value] : endpoint.headers) response.add_header(name, value);
  response.headers += answer.headers;
  if (!answer.file_name.empty())
    response.add_header("Content-Disposition", "inline; filename=\"" + answer.file_name + "\"");
  const auto media_type = answer.media_type.empty() ? endpoint.media_type : answer.media_type;
  if (!media_type.empty() || endpoint.bare) {
    if (!media_type.empty()) response.content_type = media_type;
    response.before = answer.embedded;
    response.body = std::move(answer.data);
  } else if (answer.data.empty()) {
    response.before = success_only;
  } else {
    response.before = R"({"data":)";
    response.body = std::move(answer.data);
    response.after =
        answer.page ? paging_suffix(*answer.page, answer) : answer.members + R"(,"success":true})";
  }
}

Failure memory_refusal(ByteLimits::Kind kind, ByteLimits::Limit limit, bool is_of_business) {
  observe(Observable::memory_refused);
  const bool is_body = kind == ByteLimits::Kind::body;
  std::string_view reason = "The server has no room for further large requests and answers; try again later.";
  if (limit == ByteLimits::Limit::network || (limit == ByteLimits::Limit::holder && !is_of_business)) {
    reason = is_body ? "Your network sends too many large bodies; try again later."
                     : "Your network has not read its other large answers; try again later.";
  } else if (limit == ByteLimits::Limit::holder) {
    reason = is_body ? "Other requests of this business have too many large bodies; try again later."
                     : "Clients of this business have not read its other large answers; try again later.";
  }
  return {ErrorCode::unavailable, std::string(reason)};
}

/// Moves `answer` into `response`, which keeps the headers that it has.
void take_over(Response answer, Response& response) {
  answer.headers.insert(0, response.headers);
  response = std::move(answer);
}

/// The session cookie of a request, if it counts: the header Authorization is not given, and a script of the
/// console has sent the request.
std::optional<std::string_view> cookie_of(const Request& request, std::string_view public_url) {
  if (request.authorization.data() != nullptr) return std::nullopt;
  const auto cookie = SessionCookie::of(public_url);
  if (!cookie || !is_from_console(request.head)) return std::nullopt;
  return find_cookie(request.head, cookie->name);
}

/// The text of which each use of an idempotency key has the same.
std::string identity_of(const Request& request, std::string_view body) {
  std::string identity;
  identity.reserve(request.method.size() + request.target.size() + body.size() + 2);
  return identity.append(request.method).append(" ").append(request.target).append("\n").append(body);
}

void replay(const KeptAnswer& kept, Response& response) {
  response.status = kept.status;
  response.body = kept.body;
  if (!kept.location.empty()) response.add_header("Location", kept.location);
  if (kept.location.starts_with(job_path)) response.headers += applied_preference;
  response.add_header("Idempotency-Replayed", "true");
}

/// Throws Failure (VALIDATION_ERROR) for a text that no response has had.
std::optional<storage::CommitPosition> asked_position(const Request& request) {
  if (request.commit_position.empty()) return std::nullopt;
  const auto position = storage::CommitPosition::parse(request.commit_position);
  if (!position)
    throw invalid("X-Commit-Position", "must be a value of this header from an earlier response");
  return position;
}

/// True if a standby may serve the reads of an endpoint.
bool may_read_on_standby(const Endpoint& endpoint) { return endpoint.paginated || endpoint.from_standby; }

/// Returns a position that covers all commits so far.
asio::awaitable<storage::Commits> commits_until_now(storage::Database& db) {
  const auto rows = co_await db.read(storage::sql::standbys::CommitPosition{});
  const auto row = rows.front();
  co_return storage::Commits{
      .position =
          storage::CommitPosition::from_sql(row.timeline, row.lsn).value_or(storage::CommitPosition())};
}

/// Returns nullopt also if the look-up fails.
asio::awaitable<std::optional<KeptAnswer>> find_quietly(const IdempotentRequest& once) {
  try {
    co_return co_await once.find();
  } catch (const std::exception& error) {
    observe(Observable::statement_failed, {{"statement", "idempotency.find"}, {"error", error.what()}});
    co_return std::nullopt;
  }
}

}  // namespace

/// A request and its state in the pipeline.
struct Gate::Exchange {
  const Request& request;
  RequestBody& body;
  Response& response;
  Call call = {};
  Found found = {};
  std::string_view query = {};
  RequestMethod method = RequestMethod::get;
  std::string location = {};
  std::optional<ByteLimits::Claim> held_body = {};
  storage::RequestDatabase* database = nullptr;  // that of a tracked request
  bool is_once = false;                          // it has an Idempotency-Key
  bool by_cookie = false;                        // it has a session cookie that counts
  bool is_accepted = false;                      // a job performs it

  const Endpoint& endpoint() const { return found.endpoint->row; }

  /// True if the request can be refused without denying a change that it has made.
  bool is_refusable() const {
    if (is_once) return true;  // its transaction is not committed yet
    if (database == nullptr) return method == RequestMethod::get;
    const auto& commits = database->commits();
    return !commits.is_unclear && commits.position == storage::CommitPosition();
  }
};

Gate::Gate(const Router& router, Services& services, Authenticator& authenticator, const Plans& plans,
           Quota& quota, ByteLimits& bytes, Options options, StandbyReads offload)
    : router_(router),
      services_(services),
      authenticator_(authenticator),
      plans_(plans),
      quota_(quota),
      bytes_(bytes),
      options_(std::move(options)),
      offload_(offload) {}

asio::awaitable<void> Gate::respond(const Request& request, RequestBody& body, Response& response) {
  const auto started_at = Steady::now();
  Exchange exchange{.request = request, .body = body, .response = response};
  exchange.call.request_id =
      is_request_id(request.request_id) ? std::string(request.request_id) : request_ids_.next();
  response.add_header("X-Request-Id", exchange.call.request_id);
  std::string fault;
  try {
    co_await answer(exchange);
  } catch (const Disconnected&) {
    throw;
  } catch (...) {
    fault = apply_error(exchange, std::current_exception());
  }
  response.business = exchange.call.business();
  if (exchange.by_cookie) keep_private(response);
  if (response.status != 204) add_cors_headers(options_.cors_origins, request.origin, response);
  log_.add(
      {
          .endpoint = exchange.found.endpoint,
          .method = request.method,
          .status = response.status,
          .request_id = exchange.call.request_id,
          .fault = fault,
      },
      Steady::now() - started_at);
}

void Gate::refuse(const Failure& failure, Response& response) {
  response.add_header("X-Request-Id", request_ids_.next());
  auto error = error_answer(failure);
  response.status = error.status;
  response.body = std::move(error.body);
  if (error.retry_after) response.add_header("Retry-After", error.retry_after->count());
  observe(Observable::request_refused, {{"status", error.status}});
}

asio::awaitable<void> Gate::answer(Exchange& exchange) {
  std::optional<Failure> not_found;
  try {
    if (!find_endpoint(exchange)) co_return;
  } catch (const Failure& failure) {
    not_found = failure;
  }
  if (not_found) {
    co_await count_unrouted(exchange);
    throw Failure(*not_found);
  }
  const auto& endpoint = exchange.endpoint();
  if (endpoint.permission != Permission::everyone) co_await admit(exchange);
  if (endpoint.changes) exchange.response.add_header("Cache-Control", "no-store");
  co_await perform(exchange);
  auto& response = exchange.response;
  const bool is_compressible = may_be_compressed(endpoint, response);
  if (is_compressible) response.add_header("Vary", "Accept-Encoding");
  if (has_entity_tag(endpoint)) answer_conditionally(exchange.request.head, response);
  if (!is_compressible || response.status == 304) co_return;
  const auto accepted = find_field(exchange.request.head, "accept-encoding");
  if (!accepted || !wants_gzip(*accepted, response.body_size())) co_return;
  if (!co_await compress(response, services_.bodies, exchange.call.business())) co_return;
  response.held.reset();
  response.held = hold_answer(exchange, response.body.size());
  response.add_header("Content-Encoding", "gzip");
}

/// False if the response is complete: the answer to OPTIONS.
bool Gate::find_endpoint(Exchange& exchange) const {
  const auto& request = exchange.request;
  const auto method = parse_method(request.method);
  exchange.method = method.value_or(RequestMethod::get);
  if (request.target == "*" && method == RequestMethod::options) {
    answer_options(options_.cors_origins, request.origin, every_method, exchange.response);
    return false;
  }
  const auto target = origin_form(request.target);
  if (target.empty() || target.find('#') != std::string_view::npos) {
    throw Failure(ErrorCode::validation_error, "The request target is malformed.");
  }
  const auto question_mark = target.find('?');
  if (question_mark != std::string_view::npos) exchange.query = target.substr(question_mark + 1);
  exchange.found = router_.find(exchange.method, target.substr(0, question_mark));
  const auto& found = exchange.found;
  if (found.allow.empty()) throw Failure(ErrorCode::not_found, "There is no such path.");
  if (method == RequestMethod::options) {
    answer_options(options_.cors_origins, request.origin, found.allow, exchange.response);
    return false;
  }
  if (!method || !found.endpoint) {
    exchange.response.add_header("Allow", found.allow);
    throw Failure(ErrorCode::method_not_allowed, "This path accepts " + std::string(found.allow) + ".");
  }
  return true;
}

/// A request without an endpoint counts against the quota of its token, if it has a valid one.
asio::awaitable<void> Gate::count_unrouted(Exchange& exchange) {
  const auto& request = exchange.request;
  if (request.authorization.empty() && !find_field(request.head, "cookie")) co_return;
  try {
    co_await authenticate(exchange);
  } catch (const Failure& failure) {
    if (failure.code() != ErrorCode::unauthorized) throw;
  }
}

asio::awaitable<void> Gate::admit(Exchange& exchange) {
  co_await authenticate(exchange);
  check_permission(exchange.call.principal, exchange.endpoint().permission);
}

/// The token of the request. Throws Failure (UNAUTHORIZED) if it has none that is valid.
asio::awaitable<Authenticator::Record> Gate::recognise(Exchange& exchange) {
  const auto cookie = cookie_of(exchange.request, services_.settings.public_url);
  if (!cookie) co_return co_await authenticator_.authenticate(exchange.request.authorization);
  exchange.by_cookie = true;
  co_return co_await authenticator_.authenticate_cookie(*cookie);
}

/// People at the console neither take requests from the programs of their business nor wait for them: the
/// cookie sessions of a person share a quota of their own.
QuotaClaim Gate::quota_of(const Principal& principal, const Plan& plan) const {
  const bool has_business = !principal.business_id.is_nil();
  QuotaClaim claim{.token = principal.token_id,
                   .limit = plan.requests_per_minute,
                   .owner = has_business ? principal.business_id : principal.user_id,
                   .owner_limit = owner_limit(plan.requests_per_minute, options_.business_quota_factor)};
  if (principal.caller == Caller::api_token && !plan.api_access) claim.owner_limit = 0;
  if (!principal.by_cookie) return claim;
  claim.limit = std::max(claim.limit, least_of_cookies);
  if (!has_business) return claim;  // the user's guid is that of the owner
  if (principal.is_user()) claim.token = principal.user_id;
  claim.owner_limit = 0;
  return claim;
}

/// Checks token, plan and quota, in this order.
asio::awaitable<void> Gate::authenticate(Exchange& exchange) {
  static const Plan without_business{.name = {}, .requests_per_minute = 60};
  const auto record = co_await recognise(exchange);
  auto& principal = exchange.call.principal = record->principal;
  const auto* const plan = principal.business_id.is_nil() ? &without_business : plans_.find(record->plan);
  if (!plan) throw Failure(ErrorCode::forbidden, "The plan of the business is not configured.");
  const bool has_access = plan->api_access || principal.caller != Caller::api_token;
  const auto grant = co_await quota_.take(quota_of(principal, *plan), services_.clock.now());
  auto& response = exchange.response;
  response.add_header("X-RateLimit-Limit", grant.limit);
  response.add_header("X-RateLimit-Remaining", grant.remaining);
  response.add_header("X-RateLimit-Reset", grant.reset);
  if (record->is_suspended) throw business_suspended();
  if (!has_access) {
    throw Failure(ErrorCode::forbidden, "The plan of this business does not include the API.");
  }
  if (!grant.allowed) {
    const auto wait = grant.reset - to_unix_seconds(services_.clock.now());
    response.add_header("Retry-After", std::max<std::int64_t>(1, wait));
    throw Failure(ErrorCode::rate_limited, grant.is_of_owner
                                               ? "All tokens together have no requests left in this minute."
                                               : "The token has no requests left in this minute.");
  }
}

asio::awaitable<void> Gate::perform(Exchange& exchange) {
  const auto& endpoint = exchange.endpoint();
  // A document is made again: its request changes nothing, and it can be too large to keep.
  exchange.is_once = exchange.method == RequestMethod::post && !exchange.request.idempotency_key.empty() &&
                     !exchange.call.principal.token_id.is_nil() && endpoint.media_type.empty();
  const auto asked = asked_position(exchange.request);
  std::string raw_body;
  const bool takes_body = endpoint.body_kind != BodyKind::none || exchange.method == RequestMethod::post;
  if (exchange.body.present() && takes_body) {
    check_content(endpoint, exchange.request);
    const bool is_upload = endpoint.body_kind == BodyKind::multipart;
    const std::size_t limit = is_upload ? options_.upload_limit : options_.body_limit;
    raw_body =
        co_await exchange.body.read(limit, [this, &exchange](std::size_t expected, std::size_t arrived) {
          hold_body(exchange, expected, arrived);
        });
  }
  if (exchange.is_once) {
    co_await perform_once(exchange, std::move(raw_body));
  } else if (is_tracked(exchange)) {
    co_await perform_tracked(exchange, std::move(raw_body), asked);
  } else {
    co_await call_handler(exchange, std::move(raw_body), services_, exchange.response);
  }
  if (exchange.is_accepted) services_.wake_jobs();
}

/// Counts the body. Throws Failure (UNAVAILABLE) if too many large bodies are under way.
void Gate::hold_body(Exchange& exchange, std::size_t expected, std::size_t arrived) {
  if (expected < ByteLimits::small) return;
  const Guid& business = exchange.call.business();
  auto& held = exchange.held_body;
  if (!held)
    held.emplace(bytes_.claim(ByteLimits::Kind::body, holder(business, client_of(exchange.request))));
  if (const auto limit = held->raise(expected, arrived))
    throw memory_refusal(ByteLimits::Kind::body, *limit, !business.is_nil());
}

/// Counts a large answer for as long as the result lives. Throws Failure (UNAVAILABLE) if clients have not
/// taken too many others. Null for a small answer, and for one that is too late to refuse: it counts once it
/// waits (see `hold`).
std::shared_ptr<void> Gate::hold_answer(const Exchange& exchange, std::size_t size) const {
  const Guid& business = exchange.call.business();
  const std::size_t least = business.is_nil() ? ByteLimits::small : ByteLimits::large;
  if (size < least || exchange.method == RequestMethod::head || !exchange.is_refusable()) return nullptr;
  auto held = std::make_shared<ByteLimits::Claim>(
      bytes_.claim(ByteLimits::Kind::answer, holder(business, client_of(exchange.request))));
  if (const auto limit = held->raise(size, size))
    throw memory_refusal(ByteLimits::Kind::answer, *limit, !business.is_nil());
  return held;
}

std::shared_ptr<void> Gate::hold(const Client& client, std::size_t bytes) {
  const auto address = client_address(client.peer, client.forwarded_for, options_.trusted_proxies);
  auto held = std::make_shared<ByteLimits::Claim>(
      bytes_.claim(ByteLimits::Kind::answer, holder(client.business, address)));
  if (!held->raise(bytes, bytes)) return held;
  observe(Observable::memory_refused);
  return nullptr;
}

/// A proxy that does not name its clients is not limited as one network, except for clients without a
/// business.
ByteLimits::Holder Gate::holder(const Guid& business, std::string_view client) const {
  const bool is_network = business.is_nil() || !AddressBlock::any_has(options_.trusted_proxies, client);
  return {.business = business, .network = is_network ? network_of(client) : std::string()};
}

std::string_view Gate::client_of(const Request& request) const {
  return client_address(request.peer, request.forwarded_for, options_.trusted_proxies);
}

/// True if the request may write, or read on a standby. Reads of single records stay on the primary: they
/// cost less than finding out which server can serve them.
bool Gate::is_tracked(const Exchange& exchange) const {
  if (exchange.call.principal.token_id.is_nil()) return false;
  const bool only_reads = exchange.method == RequestMethod::get || exchange.method == RequestMethod::head;
  if (!only_reads || exchange.endpoint().changes) return true;
  return offload_.standbys != nullptr && may_read_on_standby(exchange.endpoint());
}

asio::awaitable<void> Gate::perform_tracked(Exchange& exchange, std::string raw_body,
                                            const std::optional<storage::CommitPosition>& asked) {
  storage::Standbys* standbys = may_read_on_standby(exchange.endpoint()) ? offload_.standbys : nullptr;
  storage::CommitPosition required = asked.value_or(storage::CommitPosition());
  if (standbys != nullptr) {
    const auto own = offload_.own_writes->required(exchange.call.principal.token_id, Steady::now());
    if (own) {
      required = std::max(required, *own);
    } else {
      standbys = nullptr;
    }
  }
  storage::RequestDatabase database(services_.db, standbys, required);
  exchange.database = &database;
  Services services = with_database(services_, database);
  std::exception_ptr thrown;
  try {
    co_await call_handler(exchange, std::move(raw_body), services, exchange.response);
  } catch (...) {
    thrown = std::current_exception();
  }
  exchange.database = nullptr;
  note_commits(exchange, database.commits());
  if (thrown) std::rethrow_exception(thrown);
}

/// Called after a failure, too, because a part of the request may be committed.
void Gate::note_commits(Exchange& exchange, const storage::Commits& commits) {
  if (commits.position > storage::CommitPosition())
    exchange.response.add_header("X-Commit-Position", commits.position.to_string());
  if (offload_.own_writes == nullptr) return;
  if (commits.is_unclear || commits.position > storage::CommitPosition())
    offload_.own_writes->add(exchange.call.principal.token_id, commits, Steady::now());
}

/// The writes of the handler and the answer kept for the key are one transaction. Mails and token changes of
/// the handler follow after its commit.
asio::awaitable<void> Gate::perform_once(Exchange& exchange, std::string raw_body) {
  const IdempotentRequest once(services_, exchange.call.principal, exchange.request.idempotency_key,
                               identity_of(exchange.request, raw_body));
  if (const auto kept = co_await once.find()) {
    exchange.response.held = hold_answer(exchange, kept->body.size());
    replay(*kept, exchange.response);
    note_commits(exchange, co_await commits_until_now(services_.db));
    co_return;
  }
  Response response;
  bool tokens_changed = false;
  bool has_mails = false;
  std::exception_ptr thrown;
  bool was_begun = false;
  std::optional<storage::CommitPosition> position;
  {
    storage::UnitOfWork work(services_.db, once.opening());
    Services services = with_database(services_, work);
    services.tokens_changed = [&tokens_changed] { tokens_changed = true; };
    services.send_mails = [&has_mails]() -> asio::awaitable<void> {
      has_mails = true;
      co_return;
    };
    try {
      co_await call_handler(exchange, std::move(raw_body), services, response);
      co_await once.keep(work, {.status = response.status,
                                .body = std::string(response.before) + response.body + response.after,
                                .location = exchange.location});
      co_await work.commit();
    } catch (...) {
      thrown = std::current_exception();
    }
    was_begun = work.was_begun();
    position = work.position();
  }
  if (thrown) {
    // The commit may have succeeded although its answer was lost, or another node may have been first.
    const auto kept = was_begun ? co_await find_quietly(once) : std::nullopt;
    if (!kept) {
      note_commits(exchange, {.position = {}, .is_unclear = was_begun});
      std::rethrow_exception(thrown);
    }
    replay(*kept, exchange.response);
    note_commits(exchange, co_await commits_until_now(services_.db));
  } else {
    take_over(std::move(response), exchange.response);
    if (position) note_commits(exchange, {.position = *position});
  }
  if (tokens_changed) services_.tokens_changed();
  if (has_mails) co_await services_.send_mails();
}

asio::awaitable<void> Gate::call_handler(Exchange& exchange, std::string raw_body, Services& services,
                                         Response& response) {
  const auto& endpoint = exchange.endpoint();
  auto& call = exchange.call;
  call.is_bulk = endpoint.is_bulk || raw_body.size() > bulk_body;
  FieldErrors errors;
  read_path(*exchange.found.endpoint, exchange.found, call, errors);
  read_parameters(endpoint, exchange.query, call, errors);
  Selected selected;
  if (const auto names = call.parameter(select_parameter.name))
    selected = parse_select(*names, *endpoint.answer, errors);
  const bool is_empty_json = endpoint.body_kind == BodyKind::none && !raw_body.empty() &&
                             is_json_type(exchange.request.content_type);
  if (endpoint.body_kind == BodyKind::object || endpoint.body_kind == BodyKind::array ||
      endpoint.body_kind == BodyKind::one_or_array || is_empty_json) {
    const auto read = [&] { read_json(endpoint, raw_body, call, errors); };
    if (raw_body.size() > bulk_body) {
      co_await services.bodies.run(call.business(), read);
    } else {
      read();
    }
    std::string().swap(raw_body);  // the parsed body replaces it; an assignment would keep the memory
  } else if (endpoint.body_kind != BodyKind::none) {
    call.raw_body = std::move(raw_body);
    call.content_type = exchange.request.content_type;
  }
  if (!errors.empty() && !endpoint.adds_errors) throw invalid(std::move(errors));
  call.errors = std::move(errors);
  call.head = exchange.request.head;
  call.peer = client_of(exchange.request);
  call.is_audited = endpoint.is_audited || endpoint.permission == Permission::administer;
  const bool is_job = endpoint.job && exchange.method != RequestMethod::head && prefers_job(call.head);
  auto answer = co_await (is_job ? accept_job(endpoint, least_role(endpoint.permission), call, services)
                                 : endpoint.handler(call, services));
  exchange.is_accepted = is_job;
  if (answer.status == 201 && exchange.method != RequestMethod::post) answer.status = 200;
  if (!selected.members.empty()) answer.data = reduced(answer.data, selected);
  exchange.location = answer.location;
  response.held = hold_answer(exchange, answer.data.size());
  render(std::move(answer), endpoint, response);
}

/// Writes the response to an exception. Returns the fault for the operator; empty if there is none.
std::string Gate::apply_error(Exchange& exchange, const std::exception_ptr& thrown) {
  auto error = error_answer(thrown, exchange.call.request_id);
  if (error.is_disk_full) services_.note_full_disk();
  auto& response = exchange.response;
  response.status = error.status;
  response.before = {};
  response.body = std::move(error.body);
  response.after.clear();
  response.held.reset();
  if (error.status == http_status(ErrorCode::unauthorized)) response.add_header("WWW-Authenticate", "Bearer");
  if (error.retry_after) response.add_header("Retry-After", error.retry_after->count());
  return std::move(error.fault);
}

}  // namespace waybill::api
