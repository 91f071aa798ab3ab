#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/endpoint/selected.hpp"
#include "api/endpoint/unchanged_fields.hpp"
#include "api/gate/gate_exchange.hpp"
#include "api/gate/idempotency.hpp"
#include "api/gate/job_request.hpp"
#include "base/exact_number.hpp"
#include "base/observe.hpp"
#include "storage/database/unit_of_work.hpp"
#include "storage/sql/standbys.sql.hpp"

// The way of an admitted request through its handler, and its answer.
namespace waybill::api {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::string_view success_only = R"({"success":true})";
// A larger body can name so many records that the writes of its request take long. It also takes so long to
// parse that other requests would wait for the io thread.
constexpr std::size_t bulk_body = 16UL * 1024;
constexpr std::size_t largest_kept_of_readers = 16UL * 1024;

// The check of a body ends after a number of errors, so one that is accepted in part is checked again.
constexpr int most_checks = 3;

/// Returns the record that the call changes as a GET shows it; nothing if it does not exist.
asio::awaitable<json::object> shown_record(const Endpoint& endpoint, const Call& call, Services& services) {
  Call read;
  read.principal = call.principal;
  read.ids = call.ids;
  std::string text;
  try {
    text = (co_await endpoint.shown_by(read, services)).data;
  } catch (const Failure&) {
    co_return json::object();
  }
  auto parsed = parse_exact_json(text);
  auto* const record = std::get_if<json::value>(&parsed);
  co_return record != nullptr && record->is_object() ? std::move(record->get_object()) : json::object();
}

/// Takes values out of a body that are refused, but that the record has already: a change that does not name
/// them keeps them. `errors` are those of the body, and get those that are left.
asio::awaitable<void> accept_unchanged(const Endpoint& endpoint, Call& call, Services& services,
                                       FieldErrors& errors) {
  const auto shown = co_await shown_record(endpoint, call, services);
  co_await services.bodies.run_if(call.is_bulk, call.business(), [&] {
    auto& body = call.body.get_object();
    for (int checks = 0; checks < most_checks && !errors.empty(); ++checks) {
      if (!remove_unchanged(body, shown, errors)) return;
      errors.clear();
      check_object(endpoint, body, errors);
    }
  });
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

/// Moves `answer` into `response`, which keeps the headers that it has.
void take_over(Response answer, Response& response) {
  answer.headers.insert(0, response.headers);
  response = std::move(answer);
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
    if (exchange.body.was_awaited() && endpoint.permission != Permission::everyone)
      co_await admit_again(exchange);
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
    services.outside = &services_;
    services.tokens_changed = [&tokens_changed] { tokens_changed = true; };
    services.send_mails = [&has_mails]() -> asio::awaitable<void> {
      has_mails = true;
      co_return;
    };
    try {
      co_await call_handler(exchange, std::move(raw_body), services, response);
      std::string body = std::string(response.before) + response.body + response.after;
      // A large answer of a call that changes nothing is made again, so that a viewer cannot fill the disk.
      if (exchange.endpoint().permission != Permission::read || body.size() <= largest_kept_of_readers)
        co_await once.keep(
            work, {.status = response.status, .body = std::move(body), .location = exchange.location});
      co_await work.commit();
    } catch (...) {
      thrown = std::current_exception();
    }
    // The caller may repeat the request as soon as it has the answer.
    if (thrown) co_await work.roll_back();
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
  if (const auto names = call.parameter(select_parameter.name); names && takes_select(endpoint))
    selected = parse_select(*names, *endpoint.answer, errors);
  bool may_be_shown = endpoint.shown_by != nullptr && errors.empty();
  const bool is_empty_json = endpoint.body_kind == BodyKind::none && !raw_body.empty() &&
                             is_json_type(exchange.request.content_type);
  if (endpoint.body_kind == BodyKind::object || endpoint.body_kind == BodyKind::array ||
      endpoint.body_kind == BodyKind::one_or_array || is_empty_json) {
    const auto read = [&] { may_be_shown = read_json(endpoint, raw_body, call, errors) && may_be_shown; };
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
  if (!errors.empty() && may_be_shown && call.body.is_object())
    co_await accept_unchanged(endpoint, call, services, errors);
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

}  // namespace waybill::api
