#include "storage/pq/channel.hpp"

#include <utility>

#include <prometheus/histogram.h>

#include "base/observe.hpp"
#include "storage/pq/connect_params.hpp"

namespace waybill::storage::pq {
namespace {

using Kind = Sent::Kind;
using Wait = ChannelWaits::Direction;
using std::chrono::steady_clock;

constexpr auto slow_statement_limit = std::chrono::milliseconds(500);

double seconds_between(SteadyTime from, SteadyTime to) {
  return std::chrono::duration<double>(to - from).count();
}

// True if the prepared statement does not exist.
bool is_missing(const PGresult* result) {
  return std::string_view(error_field(result, PG_DIAG_SQLSTATE)) == "26000";
}

// True if the plan no longer fits the tables ("cached plan must not change result type"). Only the function
// in the server's source distinguishes this from other uses of the code.
bool is_outdated(const PGresult* result) {
  return std::string_view(error_field(result, PG_DIAG_SQLSTATE)) == "0A000" &&
         std::string_view(error_field(result, PG_DIAG_SOURCE_FUNCTION)) == "RevalidateCachedQuery";
}

// True for errors that end the session or make it unusable, and for libpq's own errors, which have no
// severity.
bool loses_session(const PGresult* result, bool read_only) {
  return std::string_view(error_field(result, PG_DIAG_SEVERITY_NONLOCALIZED)) != "ERROR" ||
         (!read_only && ends_session(error_field(result, PG_DIAG_SQLSTATE)));
}

}  // namespace

Channel::Channel(asio::io_context& io, ChannelOptions options, Listener& listener)
    : options_(std::move(options)),
      attempts_(host_count(options_.url), last_connection(options_.url)),
      listener_(&listener),
      waits_(io) {}

Channel::~Channel() { tear_down(); }

bool Channel::alive() {
  if (!is_open()) return false;
  if (PQconsumeInput(connection_.get()) == 0 || PQisBusy(connection_.get()) != 0 || is_ending_) {
    fail(is_ending_ ? "the server ended the session" : PQerrorMessage(connection_.get()));
    return false;
  }
  return true;
}

void Channel::query(const Statement& statement, const Params& params, void* owner, Format format) {
  send(prepared_.statement(statement), params, owner, format);
}

void Channel::query_text(std::string_view name, std::string_view text, const Params& params, void* owner,
                         Format format) {
  std::vector<std::string> evicted;
  Prepared& prepared = prepared_.text(name, text, evicted);
  for (const auto& server_name : evicted) deallocate(server_name);
  send(prepared, params, owner, format);
}

void Channel::send(Prepared& prepared, const Params& params, void* owner, Format format) {
  if (prepared.generation == 0) {
    prepared_.renew(prepared);
    const std::string text(prepared.text);
    if (PQsendPrepare(connection_.get(), prepared.server_name.c_str(), text.c_str(), 0, nullptr) == 0) {
      send_failed_ = true;
    }
    sent_.add(
        {.kind = Kind::prepare, .generation = prepared.generation, .prepared = &prepared, .owner = owner});
  }
  boost::container::small_vector<const char*, 16> values(params.size());
  for (std::size_t i = 0; i < params.size(); ++i) values[i] = params.value(i);
  if (PQsendQueryPrepared(connection_.get(), prepared.server_name.c_str(), static_cast<int>(values.size()),
                          values.data(), params.lengths(), params.formats(), static_cast<int>(format)) == 0) {
    send_failed_ = true;
  }
  ++prepared.in_flight;
  sent_.add({.kind = Kind::query, .generation = prepared.generation, .prepared = &prepared, .owner = owner});
}

void Channel::deallocate(const std::string& server_name) {
  const std::string text = "deallocate \"" + server_name + '"';
  if (PQsendQueryParams(connection_.get(), text.c_str(), 0, nullptr, nullptr, nullptr, nullptr, 0) == 0) {
    send_failed_ = true;
  }
  sent_.add({.kind = Kind::deallocate});
}

void Channel::sync() {
  sent_.add_sync(steady_clock::now());
  if (PQpipelineSync(connection_.get()) == 0) send_failed_ = true;
  if (send_failed_) return fail(PQerrorMessage(connection_.get()));
  if (!waits_.awaits_time()) {
    watch_until(sent_.last_progress() + options_.statement_timeout + options_.connect_timeout);
  }
  if (!writing_) flush();
}

void Channel::flush() {
  writing_ = false;
  switch (PQflush(connection_.get())) {
    case 0:
      return;
    case 1:
      writing_ = true;
      return on_socket(Wait::wait_write, &Channel::flush);
    default:
      return fail(PQerrorMessage(connection_.get()));
  }
}

void Channel::on_readable() {
  const auto epoch = waits_.epoch();
  sent_.received(steady_clock::now());
  const bool received = PQconsumeInput(connection_.get()) != 0;
  process();
  if (epoch != waits_.epoch() || !is_open()) return;
  if (!received) return fail(PQerrorMessage(connection_.get()));
  if (is_ending_) return fail("the server ended the session");
  on_socket(Wait::wait_read, &Channel::on_readable);
  listener_->drained();
}

void Channel::process() {
  const auto epoch = waits_.epoch();
  while (epoch == waits_.epoch() && is_open() && PQisBusy(connection_.get()) == 0) {
    ResultHandle result(PQgetResult(connection_.get()));
    if (!result) {
      // The end of one statement's results, or no data.
      if (!sent_.take_terminator()) return;
      continue;
    }
    if (sent_.empty()) return fail("an unexpected result");
    dispatch(sent_.take(), std::move(result));
  }
}

void Channel::dispatch(Sent sent, ResultHandle result) {
  const auto status = PQresultStatus(result.get());
  if (status == PGRES_FATAL_ERROR && loses_session(result.get(), options_.read_only)) {
    sent_.put_back(sent);
    return fail(PQresultErrorMessage(result.get()));
  }
  const bool expected = sent.kind == Kind::sync
                            ? status == PGRES_PIPELINE_SYNC
                            : status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK ||
                                  status == PGRES_EMPTY_QUERY || status == PGRES_FATAL_ERROR ||
                                  status == PGRES_PIPELINE_ABORTED;
  if (!expected) {
    sent_.put_back(sent);
    return fail(std::string("unexpected result ") + PQresStatus(status));
  }
  sent_.answered(sent.kind);
  attempts_.answered(sent_.last_progress());
  switch (sent.kind) {
    case Kind::prepare:
      return prepare_answered(sent, result.get());
    case Kind::query:
      return query_answered(sent, std::move(result));
    case Kind::deallocate:
      return;
    case Kind::sync:
      return listener_->synced();
  }
}

void Channel::prepare_answered(const Sent& sent, const PGresult* result) {
  Prepared& prepared = *sent.prepared;
  if (PQresultStatus(result) == PGRES_COMMAND_OK) {
    prepared.confirmed_generation = sent.generation;
    return;
  }
  if (prepared.generation == sent.generation) prepared.generation = 0;
  if (PQresultStatus(result) == PGRES_PIPELINE_ABORTED) return;
  prepared.refused_generation = sent.generation;
  prepared.refusal = std::make_shared<StatementError>(statement_error(result));
  // Its query is next, and the server skips it.
  sent_.answer_first();
  listener_->received(sent.owner, {Answer::Kind::failed, {}, prepared.refusal});
}

void Channel::query_answered(const Sent& sent, ResultHandle result) {
  --sent.prepared->in_flight;
  if (sent.is_answered) return;
  const auto status = PQresultStatus(result.get());
  if (status == PGRES_PIPELINE_ABORTED)
    return listener_->received(sent.owner, {Answer::Kind::aborted, {}, {}});
  time_statement(sent);
  if (status == PGRES_FATAL_ERROR)
    return listener_->received(sent.owner, explain_failure(sent, result.get()));
  listener_->received(sent.owner, {Answer::Kind::rows, Rows(result.release()), {}});
}

Answer Channel::explain_failure(const Sent& sent, const PGresult* result) {
  Prepared& prepared = *sent.prepared;
  const bool missing = is_missing(result);
  if (missing && sent.generation == prepared.refused_generation)
    return {Answer::Kind::failed, {}, prepared.refusal};
  // Its PREPARE was part of an earlier unit and was skipped there.
  if (missing && sent.generation != prepared.confirmed_generation) return {Answer::Kind::aborted, {}, {}};
  auto error = std::make_shared<StatementError>(statement_error(result));
  if (!missing && !is_outdated(result)) return {Answer::Kind::failed, {}, std::move(error)};
  if (prepared.generation == sent.generation) {
    prepared.generation = 0;
    if (missing) prepared_.forget();
  }
  return {Answer::Kind::stale, {}, std::move(error)};
}

void Channel::time_statement(const Sent& sent) {
  sent.prepared->seconds->Observe(seconds_between(sent.at, sent_.last_progress()));
  const auto own_time = sent_.own_time(sent);
  if (own_time < slow_statement_limit) return;
  observe(Observable::slow_statement,
          {{"statement", sent.prepared->name},
           {"ms", std::chrono::duration_cast<std::chrono::milliseconds>(own_time).count()}});
}

}  // namespace waybill::storage::pq
